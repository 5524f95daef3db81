/** Ranks by several methods, as `podium.page.agreed` wrote them. */

import { ranksOf, type Rankings } from '../kernel/agreement';
import type { NumberArray } from './bundle';

export interface AgreedContent {
  methods: string[];
  /** By their numbers on the page. */
  systems: number[];
  notes: string[];
  command: string;
}

export interface Agreed {
  readonly methods: readonly string[];
  /** Those that every method ranks, by name; those whose ranks differ most come first. */
  readonly systems: readonly string[];
  readonly rankings: Rankings;
  /** Row-major methods × methods: Kendall's τ-b; NaN where a ranking ties all systems. */
  readonly tau: Float64Array;
  readonly notes: readonly string[];
  readonly command: string;
}

export function agreedOf(
  { methods, systems, notes, command }: AgreedContent,
  names: readonly string[],
  ranks: NumberArray,
  tau: Float64Array,
): Agreed {
  const rankings = { systems: systems.length, methods: methods.length, ranks };
  return { methods, systems: systems.map((at) => names[at]), rankings, tau, notes, command };
}

/** Systems that a method puts first; none where it is not among the methods. */
export function firstBy({ methods, systems, rankings }: Agreed, method: string): readonly string[] {
  const at = methods.indexOf(method);
  return at < 0 ? [] : systems.filter((_, system) => ranksOf(rankings, system)[at] === 1);
}
