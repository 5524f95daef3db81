/** Ranks over the versions of a table: what is drawn of them, and the system that is picked. */

import { spread } from '../kernel/axis';
import { linearTo, pieces, placeOf, ranksOf, ticksOf } from '../kernel/ranks';
import { shortened } from '../text/name';
import type { Versioned } from '../transport/told';
import { Picks, type Mark, type RankLine } from './picks.svelte';

/** Systems that stand out, and room for the label of a step. */
const [FIRST, LABEL] = [6, 168];

export class HistoryBoard extends Picks {
  readonly versioned: Versioned;
  /** What the steps are called, as far as there is room. */
  readonly labels: readonly string[];
  /** Systems that are drawn: in the order of the last step, then who left. */
  readonly drawn: readonly number[] = $derived.by(() => {
    const [best, picked] = [this.versioned.drawn, this.picked];
    const isMore = picked >= 0 && !best.includes(picked) && this.ranks(picked).some((rank) => rank > 0);
    return isMore ? [...best, picked].sort((one, other) => one - other) : best;
  });
  readonly lines: readonly RankLine[] = $derived.by(() => this.#lines());

  constructor(versioned: Versioned) {
    super(versioned.systems);
    this.versioned = versioned;
    this.labels = versioned.steps.map(({ label }) => shortened(label, LABEL));
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

  /** Ranks beside the lines, with their rows. */
  get ticks(): { readonly rank: number; readonly row: number }[] {
    return ticksOf(this.deepest, this.drawn.length).map((rank) => ({ rank, row: this.#row(rank) }));
  }

  ranks(system: number): number[] {
    return this.#tracked(this.versioned.ranks, system);
  }

  /** Both ends of the intervals of its ranks in all steps; null where there are none. */
  ends(system: number): { readonly low: number[]; readonly high: number[] } | null {
    const { low, high } = this.versioned;
    if (low === null || high === null) return null;
    return { low: this.#tracked(low, system), high: this.#tracked(high, system) };
  }

  /** Whether it is one of the six that are first in the last step, and so has a colour and a band. */
  stands(system: number): boolean {
    return this.versioned.drawn.slice(0, FIRST).includes(system) && this.isThere(system);
  }

  /** Whether it has a rank in the last step. */
  isThere(system: number): boolean {
    return this.#last(system) > 0;
  }

  #last(system: number): number {
    return this.ranks(system)[this.versioned.steps.length - 1];
  }

  #tracked(ranks: ArrayLike<number>, system: number): number[] {
    return ranksOf({ systems: this.versioned.systems.length, ranks }, system);
  }

  #row(rank: number): number {
    return rank > 0 ? placeOf(rank, this.drawn.length) : 0;
  }

  /** What is marked on its line; a cross stands where it was last seen. */
  #marks(system: number): Mark[] {
    return this.versioned.steps.flatMap(({ entered, left, overtook }, step): Mark[] => [
      ...(entered.includes(system) ? [{ kind: 'entered' as const, step }] : []),
      ...(left.includes(system) ? [{ kind: 'left' as const, step: step - 1 }] : []),
      ...(overtook.includes(system) ? [{ kind: 'overtook' as const, step }] : []),
    ]);
  }

  /** Those of the last step, near their last ranks, and below who left. */
  #lines(): RankLine[] {
    const { drawn, versioned, names } = this;
    const there = drawn.filter((system) => this.isThere(system));
    const gone = drawn.filter((system) => !this.isThere(system));
    const last = there.map((system) => this.#row(this.#last(system)));
    const near = spread(last, 1, 1, Infinity);
    const below = Math.max(this.#row(this.deepest) - gone.length, ...near);
    return [...there, ...gone].map((system, index) => {
      const [ranks, ends] = [this.ranks(system), this.ends(system)];
      const [marks, bold] = [this.#marks(system), this.stands(system)];
      const row = (rank: number): number => this.#row(rank);
      const until = this.labels[pieces(ranks).at(-1)?.at(-1) ?? 0];
      return {
        ...{
          system,
          ranks,
          marks,
          bold,
          rows: ranks.map(row),
          left: 0,
          right: near[index] ?? below + 1 + index - near.length,
        },
        label: index < near.length ? names[system] : `${names[system]} until ${until}`,
        said: `${versioned.said[system]}.`,
        colour: bold ? `var(--c${versioned.drawn.indexOf(system)})` : 'var(--faint)',
        band: ends && { low: ends.low.map(row), high: ends.high.map(row) },
      };
    });
  }
}
