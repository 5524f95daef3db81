/** What `podium.history` found, as `podium.webpage.versioned` wrote it. */

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
