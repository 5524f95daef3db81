/** Ranks off the main thread: the data come once, and scores of instances when they are needed; then ways and weights, and each answer says which it is for. */

import { type CountedTask, Recount } from '../kernel/recount';
import { drawnAmong, rankingOfAll } from '../kernel/subset';
import type { Tallies } from '../kernel/tallies';
import { rankBy, type Ranking } from '../kernel/uncertainty';
import type { Way } from '../kernel/way';

export interface Order {
  readonly data?: Tallies;
  /** Scores of instances, as soon as some systems are ranked without others. */
  readonly table?: readonly CountedTask[];
  readonly way: Way;
  /** Systems that are ranked among themselves; all where it is null. */
  readonly kept: readonly number[] | null;
  readonly weights: Float64Array;
  readonly number: number;
}

let data: Tallies | undefined;
let table: readonly CountedTask[] | undefined;
/** What is left of the data without some systems, which is made once. */
let some: { readonly key: string; readonly tallies: Tallies } | undefined;

function ranked(all: Tallies, { way, weights, kept }: Order): Ranking {
  if (kept === null) return rankBy(all, way, weights);
  const key = kept.join();
  if (some?.key !== key) {
    const recount = table === undefined ? null : new Recount(table, all, kept);
    some = { key, tallies: drawnAmong(all, kept, recount) };
  }
  return rankingOfAll(rankBy(some.tallies, way, weights), kept, all.systems);
}

/** What is asked last; what was asked before it in a drag needs no answer. */
let waiting: Order | null = null;

export function asked({ data: order }: MessageEvent<Order>): void {
  data = order.data ?? data;
  if (order.table !== undefined) [table, some] = [order.table, undefined];
  if (waiting === null) setTimeout(answer);
  waiting = order;
}

function answer(): void {
  if (waiting === null || data === undefined) return;
  const order = waiting;
  waiting = null;
  self.postMessage({ number: order.number, ranking: ranked(data, order) });
}
