/** Questions about all weights, off the main thread: who is first under how many, and which put a system where. */

import { firstShares, type Found, nearestWeights, type Wish } from '../kernel/program';
import type { Shares } from '../kernel/standing';

/** The shares come first, and anew with every way to rank, by number; then wishes. */
export type Question =
  { readonly shares: Shares; readonly number: number } | { readonly wish: Wish; readonly weights: readonly number[] };

export type Answer =
  | { readonly first: Float64Array; readonly number: number; readonly done: boolean }
  | { readonly wish: Wish; readonly found: Found };

/** Milliseconds of counting after which wishes are looked for, and after which it is told what is known so far. */
const TURN = 40;
const NEWS = 250;

let shares: Shares | undefined;

export function asked({ data }: MessageEvent<Question>): void {
  if ('shares' in data) {
    shares = data.shares;
    void count(shares, data.number);
  } else if (shares !== undefined) {
    answer({ wish: data.wish, found: nearestWeights(shares, data.weights, data.wish) });
  }
}

/** Wishes are answered in between; other shares end it. */
async function count(of: Shares, number: number): Promise<void> {
  const steps = firstShares(of);
  let [turn, news] = [performance.now(), performance.now()];
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return answer({ first: step.value, number, done: true });
    if (performance.now() - turn < TURN) continue;
    if (performance.now() - news > NEWS) {
      answer({ first: step.value, number, done: false });
      news = performance.now();
    }
    await new Promise((resolve) => setTimeout(resolve));
    if (shares !== of) return;
    turn = performance.now();
  }
}

function answer(message: Answer): void {
  self.postMessage(message);
}
