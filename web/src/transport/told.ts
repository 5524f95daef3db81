/** What Python found beside the leaderboard: of methods, of versions and under stress, as `podium.webpage.api` wrote it. */

import { type Ranks, ranksOf } from '../kernel/ranks';
import type { Table } from '../text/table';
import type { NumberArray } from './bundle';
import type { ShownTable } from './server';

/** A version of the table; systems are numbers of `systems`. */
interface Step {
  readonly label: string;
  /** Who the step before does not have, who only that one has, and who overtook another by more than noise. */
  readonly entered: readonly number[];
  readonly left: readonly number[];
  readonly overtook: readonly number[];
}

export interface VersionedContent {
  /** Method and size, in words. */
  readonly title: string;
  readonly verdict: readonly string[];
  readonly notes: readonly string[];
  /** How to read the tables. */
  readonly explain: readonly string[];
  /** Of intervals; null where there are none. */
  readonly confidence: number | null;
  /** Those of the last step, best first, and then who left, the latest first. */
  readonly systems: readonly string[];
  /** What is said of each; which of them are drawn, and what marks mean, in words. */
  readonly said: readonly string[];
  readonly drawn: readonly number[];
  readonly legend: readonly string[];
  readonly steps: readonly Step[];
  /** The systems of the last step, and what happened in each step. */
  readonly tables: readonly [ShownTable, ShownTable];
  readonly command: string;
}

/** Row-major steps × systems: ranks, and both ends of their intervals; 0 where there is none. */
interface Tracks {
  readonly ranks: NumberArray;
  readonly low: NumberArray | null;
  readonly high: NumberArray | null;
}

export type Versioned = VersionedContent & Tracks;

export interface Stress {
  readonly name: string;
  /** What its strength means. */
  readonly axis: string;
  readonly strengths: readonly number[];
  /** Where the strengths stand on an axis: to scale, or at equal distances where they span decades. */
  readonly places: readonly number[];
  /** Methods × strengths: mean share of the first place that is kept, and its interval. */
  readonly mean: readonly (readonly number[])[];
  readonly low: readonly (readonly number[])[];
  readonly high: readonly (readonly number[])[];
  /** By method the weakest strength at which less than half is kept; null for none. */
  readonly breakdown: readonly (number | null)[];
}

export interface Stressed {
  /** Whether the first place is kept, in a sentence. */
  readonly headline: string;
  readonly verdict: readonly string[];
  readonly notes: readonly string[];
  readonly methods: readonly string[];
  /** By method, who is first without stress. */
  readonly leaders: readonly (readonly string[])[];
  readonly repeats: number;
  /** How often each strength was tried, in words. */
  readonly tried: string;
  readonly stresses: readonly Stress[];
  readonly command: string;
}

export interface AgreedContent {
  readonly methods: readonly string[];
  /** Those that every method ranks, by their numbers on the page; those whose ranks differ most come first. */
  readonly systems: readonly number[];
  /** The answer; how it is drawn: methods, systems, and what is left out, in words. */
  readonly verdict: readonly string[];
  readonly columns: readonly number[];
  readonly drawn: readonly number[];
  readonly leftOut: readonly string[];
  readonly notes: readonly string[];
  readonly command: string;
}

export interface Agreed extends Omit<AgreedContent, 'systems'> {
  readonly systems: readonly string[];
  readonly rankings: Ranks;
  /** Row-major methods × methods: Kendall's τ-b; NaN where a ranking ties all systems. */
  readonly tau: Float64Array;
}

export function agreedOf(
  content: AgreedContent,
  names: readonly string[],
  ranks: NumberArray,
  tau: Float64Array,
): Agreed {
  const { systems } = content;
  return {
    ...content,
    systems: systems.map((at) => names[at]),
    rankings: { systems: systems.length, ranks },
    tau,
  };
}

/** Systems that a method puts first; none where it is not among the methods. */
export function firstBy({ methods, systems, rankings }: Agreed, method: string): readonly string[] {
  const at = methods.indexOf(method);
  return at < 0 ? [] : systems.filter((_, system) => ranksOf(rankings, system)[at] === 1);
}

export interface Sliced {
  /** Method and size, in words. */
  readonly title: string;
  readonly verdict: readonly string[];
  readonly notes: readonly string[];
  /** How to read the tables. */
  readonly explain: readonly string[];
  /** The best first. */
  readonly systems: readonly string[];
  readonly slices: readonly string[];
  /** Systems × slices: how much better than elsewhere, from −1 to 1, pale if it may be chance; null if not known. */
  readonly shades: readonly (readonly (number | null)[])[];
  readonly leads: readonly (readonly boolean[])[];
  readonly texts: readonly (readonly string[])[];
  readonly said: readonly (readonly string[])[];
  readonly tables: readonly ShownTable[];
  /** As `podium slices` has them, with all digits. */
  readonly rows: Table;
  readonly command: string;
}
