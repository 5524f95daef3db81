/** The sentence of the leaderboard: who is first, and who may be as good. */

import { duelsOf, unbeaten } from '../kernel/bradley-terry';
import { answerInWords, scopeInWords, unbeatenInWords, type Part } from '../text/sentence';
import { wayInWords } from '../text/way';
import type { Leaderboard } from './leaderboard.svelte';

export function sentenceOf(board: Leaderboard): Part[] {
  const { data, order, ranking, weights, weighted, uncertainty } = board;
  if (!weighted) {
    const scored = weights.some((weight) => weight > 0) ? 'with scores ' : '';
    return [{ text: `Every task ${scored}has weight 0. Give at least one some weight.` }];
  }
  const never = unbeatenOf(board);
  if (never !== null) return unbeatenInWords(never, board.kept.length);
  const first = order.filter((system) => ranking.rank[system] === 1);
  const before = board.reference.rank.indexOf(1);
  const best = board.intervals === null ? null : order.filter((system) => board.mayBeBest(system));
  return answerInWords({
    systems: data.systems,
    ranked: board.kept.length,
    first,
    best: uncertainty.stale && board.made === null ? undefined : best,
    elsewhere: board.elsewhere,
    confidence: data.shares.confidence,
    scope: scopeInWords(board.units, weights.filter((weight) => weight > 0).length),
    coverage: board.coverages,
    missing: board.missing,
    modelled: board.modelled,
    ...(first.includes(before) ? {} : { before: { name: data.systems[before], by: beforeBy(board) } }),
  });
}

/** Systems that never lose to or tie with the others by these weights, so that there are no strengths; null if there are. */
function unbeatenOf({ tallies, way, weights, kept, data }: Leaderboard): string[] | null {
  if (tallies.battles === null || way !== 'bradley-terry') return null;
  return unbeaten(duelsOf(tallies, tallies.battles, weights))?.map((place) => data.systems[kept[place]]) ?? null;
}

/** By what the reference ranks. */
function beforeBy({ isPinned, reweighed, pinned, ways, made }: Leaderboard): string {
  if (made !== null) return 'With missing scores as expected';
  if (isPinned) return 'In the order that was kept';
  return reweighed ? 'With the weights as given' : `By ${wayInWords(pinned.way, ways.length > 2)}`;
}
