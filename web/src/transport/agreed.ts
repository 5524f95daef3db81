/** Ranks by several methods, as `podium.webpage.api.agreed` wrote them. */

import { ranksOf, type Rankings } from '../kernel/agreement';
import type { NumberArray } from './bundle';

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
  readonly rankings: Rankings;
  /** Row-major methods × methods: Kendall's τ-b; NaN where a ranking ties all systems. */
  readonly tau: Float64Array;
}

export function agreedOf(
  content: AgreedContent,
  names: readonly string[],
  ranks: NumberArray,
  tau: Float64Array,
): Agreed {
  const { systems, methods } = content;
  const rankings = { systems: systems.length, methods: methods.length, ranks };
  return { ...content, systems: systems.map((at) => names[at]), rankings, tau };
}

/** Systems that a method puts first; none where it is not among the methods. */
export function firstBy({ methods, systems, rankings }: Agreed, method: string): readonly string[] {
  const at = methods.indexOf(method);
  return at < 0 ? [] : systems.filter((_, system) => ranksOf(rankings, system)[at] === 1);
}
