/** Ranks over the versions of a table: what is drawn of them, and the system that is picked. */

import { bestRanks, courseOf, drawnOf, FIRST, linearTo, pieces, type Course } from '../kernel/course';
import type { Versioned } from '../transport/versioned';
import { Picks } from './picks.svelte';

/** Systems that are drawn unless one of the others is picked. */
export const DRAWN = 30;

/** What happens to a system at a step. */
export interface Mark {
  readonly kind: 'entered' | 'left' | 'overtook';
  readonly step: number;
}

export class HistoryBoard extends Picks {
  readonly versioned: Versioned;
  readonly course: Course;
  readonly #best: readonly number[];
  /** Systems that have a rank in some step. */
  readonly ranked: number;
  /** Whether all that were first once are drawn. */
  readonly hasLeaders: boolean;
  /** Systems that are drawn: in the order of the last step, then who left. */
  readonly drawn: readonly number[] = $derived.by(() =>
    this.picked < 0 || this.#best.includes(this.picked) || this.ranks(this.picked).every((rank) => rank === 0)
      ? this.#best
      : [
          ...this.#best.filter((system) => system < this.picked),
          this.picked,
          ...this.#best.filter((system) => system > this.picked),
        ],
  );

  constructor(versioned: Versioned) {
    super(versioned.systems);
    this.versioned = versioned;
    this.course = { systems: versioned.systems.length, steps: versioned.steps.length, ranks: versioned.ranks };
    this.#best = drawnOf(this.course, DRAWN);
    const best = bestRanks(this.course);
    this.ranked = best.filter((rank) => rank < Infinity).length;
    this.hasLeaders = best.every((rank, system) => rank > 1 || this.#best.includes(system));
  }

  /** How many systems are drawn while none is picked that is not. */
  get usual(): number {
    return this.#best.length;
  }

  /** The lowest rank of what is drawn, with bands. */
  get deepest(): number {
    return this.drawn.reduce((deepest, system) => {
      const ends = this.stands(system) ? (this.ends(system)?.high ?? []) : [];
      return Math.max(deepest, ...this.ranks(system), ...ends);
    }, 1);
  }

  /** The rank below which ranks stand closer; 0 where none is drawn. */
  get dense(): number {
    const most = linearTo(this.drawn.length);
    return this.deepest > most ? most : 0;
  }

  ranks(system: number): number[] {
    return courseOf(this.course, system);
  }

  /** Both ends of the intervals of its ranks in all steps; null where there are none. */
  ends(system: number): { readonly low: number[]; readonly high: number[] } | null {
    const { low, high } = this.versioned;
    if (low === null || high === null) return null;
    return {
      low: courseOf({ ...this.course, ranks: low }, system),
      high: courseOf({ ...this.course, ranks: high }, system),
    };
  }

  /** Whether it is one of the six that are first in the last step, and so has a colour and a band. */
  stands(system: number): boolean {
    return this.#best.indexOf(system) < FIRST && this.#best.includes(system) && this.isThere(system);
  }

  /** Whether all of the last step are among the six. */
  get allStand(): boolean {
    return this.names.every((_, system) => !this.isThere(system) || this.stands(system));
  }

  /** Its colour, by its place among the six. */
  place(system: number): number {
    return this.#best.indexOf(system);
  }

  /** Whether it has a rank in the last step. */
  isThere(system: number): boolean {
    return this.ranks(system)[this.course.steps - 1] > 0;
  }

  /** What is marked on its line; a cross stands where it was last seen. */
  marks(system: number): Mark[] {
    return this.versioned.steps.flatMap(({ entered, left, overtook }, step): Mark[] => [
      ...(entered.includes(system) ? [{ kind: 'entered' as const, step }] : []),
      ...(left.includes(system) ? [{ kind: 'left' as const, step: step - 1 }] : []),
      ...(overtook.includes(system) ? [{ kind: 'overtook' as const, step }] : []),
    ]);
  }

  pieces(system: number): number[][] {
    return pieces(this.ranks(system));
  }
}
