/** Under how many of all weights each system is first. */

import { draws } from './draw';
import { neverFirst } from './program';
import type { Shares } from './standing';

/** Weightings drawn: a share is then known to half a percent (its standard error is at most 1 / 2√DRAWS). */
export const DRAWS = 10_000;

/** Weightings drawn at once, so that a worker can answer in between. */
export const PIECE = 100;

/** Shares of more systems and tasks than this need too many linear programs; only systems that one other beats are then known. */
const PROVEN_CELLS = 200_000;

/** As in `podium.customization.weight.lead_shares`. */
const REACH = 1e-12;

/** Any key; it makes the answer the same each time. */
const KEY = '706f6469756d2070';

/**
 * Share of all weightings, each as likely as any other, that put a system first; ties are shared. NaN where a linear
 * program proves that none does. Comes piece by piece: what is yielded are shares of the weightings drawn so far, where
 * 0 says nothing yet.
 */
export function* firstShares(board: Shares): Generator<Float64Array, Float64Array> {
  const rows = undominated(board);
  const shares = new Float64Array(board.systems);
  const next = draws(KEY);
  for (let drawn = 0; drawn < DRAWS; drawn += PIECE) {
    count(board, rows, next, shares);
    yield shares.map((share) => (share * DRAWS) / (drawn + PIECE));
  }
  const provable = board.systems * board.tasks <= PROVEN_CELLS;
  const alive = new Set(rows);
  for (let system = 0; system < board.systems; system += 1) {
    if (shares[system] > 0) continue;
    if (!alive.has(system) || (provable && neverFirst(board, system))) shares[system] = NaN;
    yield shares;
  }
  return shares;
}

/** Add what some draws say. Exponential draws, divided by their sum, are uniform on the simplex; the sum cancels. */
function count(board: Shares, rows: readonly number[], next: () => number, into: Float64Array): void {
  const { tasks, shares } = board;
  const weights = new Float64Array(tasks);
  const scores = new Float64Array(rows.length);
  for (let draw = 0; draw < PIECE; draw += 1) {
    for (let task = 0; task < tasks; task += 1) weights[task] = -Math.log((next() + 0.5) / 2 ** 32);
    let best = -Infinity;
    rows.forEach((system, at) => {
      const from = system * tasks;
      let score = 0;
      for (let task = 0; task < tasks; task += 1) score += weights[task] * shares[from + task];
      scores[at] = score;
      best = Math.max(best, score);
    });
    const least = best - REACH * Math.max(Math.abs(best), 1);
    const first = rows.filter((_, at) => scores[at] >= least);
    for (const system of first) into[system] += 1 / (first.length * DRAWS);
  }
}

/** Systems that no other beats on every task. */
function undominated(board: Shares): number[] {
  return Array.from({ length: board.systems }, (_, system) => system).filter(
    (system) => beatenEverywhereBy(board, system) < 0,
  );
}

/** A system that beats this one on every task; −1 where none does. */
export function beatenEverywhereBy({ systems, tasks, shares }: Shares, system: number): number {
  for (let other = 0; other < systems; other += 1) {
    let task = 0;
    while (task < tasks && shares[other * tasks + task] > shares[system * tasks + task]) task += 1;
    if (task === tasks) return other;
  }
  return -1;
}
