/** What is asked about all weights that tasks may have, and its answers. */

import type { Found, Wish } from '../kernel/program';
import { spread } from '../kernel/subset';
import type { Shares } from '../kernel/standing';
import type { Answer, Question } from '../worker/weigh';
import { started } from '../worker/worker';

/** Milliseconds after which a wish is seen to be looked for. */
const PATIENCE = 300;

export class Weighing {
  /** Share of all weightings that put each system first; NaN where none does, null until it is counted. */
  first: Float64Array | null = $state.raw(null);
  /** The same of the weightings counted so far, where 0 says nothing yet; null before, and once all are counted. */
  soFar: Float64Array | null = $state.raw(null);
  /** Whether scores are linear in weights, so that nearest ones can be found. */
  possible = $state(true);
  #asked = 0;
  #kept: readonly number[] = [];
  #systems = 0;
  #worker: Worker | null = null;
  /** Who waits for which wish; they are answered in order. */
  readonly #waiting: ((found: Found) => void)[] = [];
  /** Whether a wish is being looked for, and longer than a moment. */
  looking = $state(false);
  #patience: ReturnType<typeof setTimeout> | undefined;

  #start(): Worker {
    const worker = started('weigh');
    worker.onmessage = ({ data }: MessageEvent<Answer>): void => {
      if (!('first' in data)) this.#answer(data.found);
      else if (data.number === this.#asked) {
        const found = spread(data.first, this.#kept, new Float64Array(this.#systems).fill(NaN));
        [this.first, this.soFar] = data.done ? [found, null] : [null, found];
      }
    };
    return worker;
  }

  /** Ask about other shares, of some of the systems. */
  of(shares: Shares | null, kept: readonly number[], systems: number): void {
    [this.#kept, this.#systems] = [kept, systems];
    this.first = this.soFar = null;
    this.#asked += 1;
    this.possible = shares !== null;
    if (shares !== null) this.#ask({ shares, number: this.#asked });
  }

  /** The weights nearest to `weights` that do what is wished. */
  async nearest(wish: Wish, weights: readonly number[]): Promise<Found> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#patience ??= setTimeout(() => (this.looking = true), PATIENCE);
      this.#ask({ wish: { ...wish, system: this.#kept.indexOf(wish.system) }, weights: [...weights] });
    });
  }

  close(): void {
    this.#worker?.terminate();
    clearTimeout(this.#patience);
  }

  #answer(found: Found): void {
    this.#waiting.shift()?.(found);
    if (this.#waiting.length > 0) return;
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.looking = false;
  }

  #ask(question: Question): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(question);
  }
}
