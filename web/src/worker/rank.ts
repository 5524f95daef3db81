/** Ranks off the main thread: the data come once, then ways and weights, and each answer says which it is for. */

import { rankBy, type Ranking } from '../kernel/ranking';
import { among, rankingOfAll } from '../kernel/subset';
import type { Tallies } from '../kernel/tallies';
import type { Way } from '../kernel/way';

export interface Order {
  readonly data?: Tallies;
  readonly way: Way;
  /** Systems that are ranked among themselves; all where it is null. */
  readonly kept: readonly number[] | null;
  readonly weights: Float64Array;
  readonly number: number;
}

let data: Tallies | undefined;
/** What is left of the data without some systems, which is made once. */
let some: { readonly key: string; readonly tallies: Tallies } | undefined;

function ranked(all: Tallies, { way, weights, kept }: Order): Ranking {
  if (kept === null) return rankBy(all, way, weights);
  const key = kept.join();
  if (some?.key !== key) some = { key, tallies: among(all, kept) };
  return rankingOfAll(rankBy(some.tallies, way, weights), kept, all.systems);
}

/** What is asked last; what was asked before it in a drag needs no answer. */
let waiting: Order | null = null;

self.onmessage = ({ data: order }: MessageEvent<Order>): void => {
  data = order.data ?? data;
  if (waiting === null) setTimeout(answer);
  waiting = order;
};

function answer(): void {
  if (waiting === null || data === undefined) return;
  const order = waiting;
  waiting = null;
  self.postMessage({ number: order.number, ranking: ranked(data, order) });
}
