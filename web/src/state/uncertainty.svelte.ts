/** Intervals of what is asked: a worker makes them, and until they come there are those before. */

import type { Intervals } from '../kernel/interval';
import type { Ranking } from '../kernel/ranking';
import type { Tallies } from '../kernel/tallies';
import type { Doubt } from '../kernel/uncertainty';
import type { Way } from '../kernel/way';
import RankWorker from '../worker/rank?worker&inline';

/** What intervals are of. */
export interface Question {
  readonly way: Way;
  readonly kept: readonly number[];
  readonly weights: readonly number[];
}

/** Milliseconds after which intervals are late. */
const PATIENCE = 150;

export class Uncertainty {
  /** Intervals of the latest question, or of the one before until these come. */
  latest: Intervals | null = $state.raw(null);
  /** What to know about these, or why there are none. */
  doubt: Doubt = $state.raw(null);
  /** Whether they are late: shown pale then, which is not worth drawing for a moment. */
  late = $state(false);
  readonly #question: () => Question;
  #answered: Question | null = $state.raw(null);
  /** Whether they are of something else than what is shown. */
  readonly stale: boolean = $derived.by(() => this.#answered !== this.#question());
  /** Those of what is shown; null until they come. */
  readonly current: Intervals | null = $derived.by(() => (this.stale ? null : this.latest));
  readonly #data: Tallies;
  readonly #worker = new RankWorker();
  #asked = 0;
  #waiting: Question | null = null;
  #slow: ReturnType<typeof setTimeout> | undefined;

  constructor(data: Tallies, question: () => Question) {
    this.#data = data;
    this.#question = question;
    this.#worker.onmessage = ({ data: answer }: MessageEvent<{ number: number; ranking: Ranking }>): void => {
      if (answer.number !== this.#asked) return;
      this.latest = answer.ranking.intervals;
      this.doubt = answer.ranking.doubt;
      this.#settle();
    };
    this.#worker.onerror = (): void => {
      this.#settle();
    };
  }

  /** Whether intervals, or that there are none, are known at all. */
  get known(): boolean {
    return this.#answered !== null;
  }

  /** Ask the worker; ranks never wait for it. */
  ask(question: Question): void {
    this.#asked += 1;
    this.#waiting = question;
    this.#slow ??= setTimeout(() => (this.late = true), PATIENCE);
    const { way, kept, weights } = question;
    this.#worker.postMessage({
      // the data go once, with the first question
      ...(this.#asked === 1 ? { data: this.#data } : {}),
      way,
      kept: kept.length === this.#data.systems ? null : [...kept],
      weights: Float64Array.from(weights),
      number: this.#asked,
    });
  }

  close(): void {
    this.#worker.terminate();
    clearTimeout(this.#slow);
  }

  #settle(): void {
    clearTimeout(this.#slow);
    this.#slow = undefined;
    this.late = false;
    this.#answered = this.#waiting;
  }
}
