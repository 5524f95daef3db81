/** Ranks by several methods: what is drawn of them, and the system that is picked. */

import { bestOf, columnsOf, firstAlike, ranksAmong, ranksOf, slots } from '../kernel/agreement';
import { compareText } from '../kernel/place';
import type { Agreed } from '../transport/agreed';
import { Picks } from './picks.svelte';

/** Systems that are drawn unless one of the others is picked. */
export const DRAWN = 30;

/** From so many ranks on a system has moved. */
export const MOVED = 2;

export class AgreementBoard extends Picks {
  readonly agreed: Agreed;
  /** Methods that are drawn, by number; others give the same ranks as one of these. */
  readonly columns: readonly number[];
  /** For every method the first that gives the same ranks. */
  readonly alike: readonly number[];
  readonly #best: readonly number[];
  /** Systems that are drawn, by number: those that move most first. */
  readonly drawn: readonly number[] = $derived.by(() =>
    this.picked < 0 || this.#best.includes(this.picked) ? this.#best : [...this.#best, this.picked],
  );
  /** For each column the places of the drawn systems, and rows of labels at both ends. */
  readonly places: readonly (readonly number[])[] = $derived.by(() =>
    this.columns.map((method) => ranksAmong(this.agreed.rankings, method, this.drawn)),
  );
  readonly left: readonly number[] = $derived.by(() => slots(this.places, this.#byName));
  readonly right: readonly number[] = $derived.by(() => slots([...this.places].reverse(), this.#byName));

  constructor(agreed: Agreed) {
    super(agreed.systems);
    this.agreed = agreed;
    this.alike = firstAlike(agreed.rankings);
    this.columns = columnsOf(this.alike);
    this.#best = bestOf(agreed.rankings, DRAWN);
  }

  readonly #byName = (one: number, other: number): number =>
    compareText(this.agreed.systems[this.drawn[one]], this.agreed.systems[this.drawn[other]]);

  ranks(system: number): number[] {
    return ranksOf(this.agreed.rankings, system);
  }

  /** How many ranks lie between the best and the worst. */
  spread(system: number): number {
    const ranks = this.ranks(system);
    return Math.max(...ranks) - Math.min(...ranks);
  }

  /** For every method the systems of rank 1. */
  get first(): number[][] {
    const { systems, methods, ranks } = this.agreed.rankings;
    const all = Array.from({ length: systems }, (_, system) => system);
    return Array.from({ length: methods }, (_, method) =>
      all.filter((system) => ranks[method * systems + system] === 1),
    );
  }

  /** The two methods that agree least; null where none has a τ. */
  get least(): { readonly methods: readonly [string, string]; readonly tau: number } | null {
    const { methods } = this.agreed;
    const pairs = methods.flatMap((one, at) =>
      methods.slice(at + 1).map((other, next) => ({
        methods: [one, other] as const,
        tau: this.tau(at, at + 1 + next),
      })),
    );
    const known = pairs.filter(({ tau }) => !Number.isNaN(tau));
    return known.reduce<(typeof known)[number] | null>(
      (least, pair) => (least === null || pair.tau < least.tau ? pair : least),
      null,
    );
  }

  /** Kendall's τ-b of two methods. */
  tau(one: number, other: number): number {
    return this.agreed.tau[one * this.agreed.methods.length + other];
  }
}
