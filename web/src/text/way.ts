/** Ways to rank, in words. */

import type { Way } from '../kernel/way';

const LEVELS: Record<Exclude<Way, 'mean'>, string> = {
  balanced: 'balanced',
  one: 'one-level',
  two: 'two-level',
  task: 'task-level',
};

/** Name a way, with its level where a table has several. */
export function wayInWords(way: Way, levels: boolean): string {
  if (way === 'mean') return 'mean';
  return levels ? `Borda, ${LEVELS[way]}` : 'Borda';
}

/** Name a way to choose it, by what its score is. */
export function wayToChoose(way: Way, levels: boolean): string {
  if (way === 'mean') return 'mean score';
  const what = {
    balanced: 'share of other systems beaten',
    one: 'all instances in one box',
    two: 'by ranks inside each task',
    task: 'by mean scores',
  }[way];
  return `${wayInWords(way, levels && way !== 'balanced')}: ${what}`;
}

/** What a score is. */
export function scoreInWords(way: Way): string {
  return {
    balanced: 'the share of other systems beaten, averaged over tasks by weight',
    one: 'the share of other systems beaten, of all instances in one box; tasks weigh by their instances, too',
    two: 'systems are ranked inside each task; the share of others beaten by these ranks, averaged over tasks by weight',
    task: 'the share of other systems beaten by mean scores, averaged over tasks by weight',
    mean: 'the mean over tasks of mean scores, by weight; tasks without a score of a system are left out',
  }[way];
}
