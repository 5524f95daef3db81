/** On how many tasks each system beats each other, by the weights of the leaderboard, and the pair that is looked at. */

import { inWords, percent } from '../text/sentence';
import type { Leaderboard } from './leaderboard.svelte';

/** Comparisons of two systems on a task that take no noticeable time; and of more, systems whose names have room. */
const [MOST, NAMED] = [5_000_000, 50];

export class PairsBoard {
  readonly leaderboard: Leaderboard;
  one = $state(-1);
  other = $state(-1);
  /** The best systems, as many as are quick to compare. */
  readonly systems: readonly number[] = $derived.by(() => {
    const { order, kept, data } = this.leaderboard;
    const some = order.filter((system) => kept.includes(system));
    const most = Math.sqrt(MOST / data.tasks.length);
    return some.length <= most ? some : some.slice(0, NAMED);
  });
  /** Row-major systems × systems: the share that the row wins; NaN where no task scores both. */
  readonly #won: Float64Array = $derived.by(() => this.#counted());

  constructor(leaderboard: Leaderboard) {
    this.leaderboard = leaderboard;
  }

  get names(): readonly string[] {
    return this.leaderboard.data.systems;
  }

  /** Share of the tasks that score both, by weight, on which the first has the better mean score, a tie as half. */
  share(one: number, other: number): number {
    return this.#won[one * this.leaderboard.data.systems.length + other];
  }

  /** Who of two is better beyond chance, all pairs together: 1 the first, −1 the second, 0 neither. */
  better(one: number, other: number): number {
    const { current, data } = this.leaderboard;
    const n = data.systems.length;
    return (current?.better?.[one * n + other] ?? 0) - (current?.better?.[other * n + one] ?? 0);
  }

  get said(): string {
    const { one, other, leaderboard } = this;
    if (one < 0 || other < 0 || one === other) return '';
    const { systems } = leaderboard.data;
    const share = this.share(one, other);
    if (Number.isNaN(share)) return `No task with weight scores both ${systems[one]} and ${systems[other]}.`;
    const better = this.better(one, other);
    const sure = better === 0 ? 'which of them is better is open' : `${systems[better > 0 ? one : other]} is better`;
    const level = percent(leaderboard.data.shares.confidence);
    const beats = `${systems[one]} beats ${systems[other]} on ${percent(Number(share.toFixed(3)))} of the tasks by weight`;
    return leaderboard.current === null ? `${beats}.` : `${beats}; ${sure} (${level}, all pairs together).`;
  }

  /** How many of the systems are compared. */
  get some(): string {
    const { systems, leaderboard } = this;
    return systems.length < leaderboard.kept.length ? ` These are the best ${inWords(systems.length)}.` : '';
  }

  #counted(): Float64Array {
    const { data, weights } = this.leaderboard;
    const { means, reach, tasks } = data.shares;
    const n = data.systems.length;
    const won = new Float64Array(n * n).fill(NaN);
    const weighs = [...weights.keys()].filter((task) => weights[task] > 0);
    this.systems.forEach((one, at) => {
      for (const other of this.systems.slice(at + 1)) {
        let [first, all] = [0, 0];
        for (const task of weighs) {
          const apart = means[one * tasks + task] - means[other * tasks + task];
          if (Number.isNaN(apart)) continue;
          all += weights[task];
          first += weights[task] * (Math.abs(apart) <= reach ? 0.5 : Number(apart > 0));
        }
        [won[one * n + other], won[other * n + one]] = [first / all, 1 - first / all];
      }
    });
    return won;
  }
}
