/** Who beat whom how often, by the weights of the leaderboard, and the pair that is looked at. */

import { duelsOf } from '../kernel/bradley-terry';
import type { Battles } from '../kernel/tallies';
import { scoreText } from '../text/number';
import { percent } from '../text/sentence';
import type { Leaderboard } from './leaderboard.svelte';

/** What is known of two systems that met. */
interface Pair {
  readonly won: number;
  readonly lost: number;
  readonly tied: number;
  /** Of the battles, by the weights of their tasks, with ties as half; NaN if they never met. */
  readonly share: number;
}

export class BattlesBoard {
  readonly leaderboard: Leaderboard;
  readonly names: readonly string[];
  /** The systems that are looked at; −1 for none. */
  one = $state(-1);
  other = $state(-1);
  readonly #battles: Battles;
  readonly #weighed = $derived.by(() => this.#counted(this.leaderboard.weights));
  readonly #plain = $derived.by(() => this.#counted(this.leaderboard.weights.map((weight) => (weight > 0 ? 1 : 0))));
  /** Systems in the order of the leaderboard. */
  readonly systems: readonly number[] = $derived.by(() =>
    this.leaderboard.order.filter((system) => !this.leaderboard.out.includes(system)),
  );
  /** Battles between these. */
  readonly number: number = $derived.by(() => this.pairs().reduce((sum, { pair }) => sum + battlesOf(pair), 0));
  /** The system that wins most of its battles against each of the others, and those that it does not meet; −1 for none. */
  readonly best: number = $derived.by(
    () =>
      this.systems.find((one) => this.systems.every((other) => other === one || this.pair(one, other).share > 0.5)) ??
      -1,
  );

  constructor(leaderboard: Leaderboard, battles: Battles) {
    this.leaderboard = leaderboard;
    this.names = leaderboard.data.systems;
    this.#battles = battles;
  }

  pair(one: number, other: number): Pair {
    const [there, back] = [one * this.names.length + other, other * this.names.length + one];
    const { wins, ties } = this.#weighed;
    return {
      won: this.#plain.wins[there],
      lost: this.#plain.wins[back],
      tied: this.#plain.ties[there],
      share: (wins[there] + ties[there] / 2) / (wins[there] + wins[back] + ties[there]),
    };
  }

  /** Two systems that met, each pair once, the better one first. */
  pairs(): { readonly one: number; readonly other: number; readonly pair: Pair }[] {
    return this.systems
      .flatMap((one, at) => this.systems.slice(at + 1).map((other) => ({ one, other, pair: this.pair(one, other) })))
      .filter(({ pair }) => battlesOf(pair) > 0);
  }

  /** Look at two systems; without the first, at the second and the best of the others. */
  match(one: number | null, other: number): void {
    this.one = one ?? other;
    this.other = one === null ? (this.systems.find((system) => system !== other) ?? -1) : other;
  }

  /** What is known of the two that are looked at. */
  get said(): string {
    const { one, other, names } = this;
    if (one < 0 || other < 0 || one === other) return '';
    const pair = this.pair(one, other);
    const all = battlesOf(pair);
    if (all === 0) return `${names[one]} and ${names[other]} never met.`;
    const ties = pair.tied === 0 ? '' : ` and tied ${scoreText(pair.tied)}`;
    const times = `${names[one]} won ${scoreText(pair.won)}, lost ${scoreText(pair.lost)}${ties} of ${scoreText(all)} battles against ${names[other]}`;
    return `${times}: ${percent(Number(pair.share.toFixed(3)))}${this.leaderboard.reweighed ? ' by these weights' : ''}.`;
  }

  /** What the first wins of its battles against the second. */
  share(one: number, other: number): number {
    return this.pair(one, other).share;
  }

  #counted(weights: readonly number[]): ReturnType<typeof duelsOf> {
    return duelsOf(this.leaderboard.data.shares, this.#battles, weights);
  }
}

export function battlesOf({ won, lost, tied }: Pair): number {
  return won + lost + tied;
}
