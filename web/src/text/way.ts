/** Ways to rank, in words. */

import { isStrength } from '../kernel/bradley-terry';
import { isShare, type Way } from '../kernel/way';

const NAMES: Record<Way, string> = {
  balanced: 'Borda, balanced',
  one: 'Borda, one-level',
  two: 'Borda, two-level',
  task: 'Borda, task-level',
  mean: 'mean',
  'bradley-terry': 'Bradley–Terry',
  'bradley-terry-prior': 'Bradley–Terry with a prior',
};

/** Name a way, with its level where a table has several. */
export function wayInWords(way: Way, levels: boolean): string {
  return isShare(way) && !levels ? 'Borda' : NAMES[way];
}

/** Name a way to choose it, by what its score is. */
export function wayToChoose(way: Way, levels: boolean): string {
  if (way === 'mean') return 'mean score';
  const what = {
    balanced: 'share of other systems beaten',
    one: 'all instances in one box',
    two: 'by ranks inside each task',
    task: 'by mean scores',
    'bradley-terry': 'strength by all battles',
    'bradley-terry-prior': 'one virtual battle each, half won',
  }[way];
  return `${wayInWords(way, levels && way !== 'balanced')}: ${what}`;
}

/** What a score is called. */
export function scoreName(way: Way): string {
  if (isStrength(way)) return 'strength';
  return way === 'mean' ? 'mean' : 'Borda score';
}

/** What a score is. */
export function scoreInWords(way: Way): string {
  return {
    balanced: 'the share of other systems beaten, averaged over tasks by weight',
    one: 'the share of other systems beaten, of all instances in one box; tasks weigh by their instances, too',
    two: 'systems are ranked inside each task; the share of others beaten by these ranks, averaged over tasks by weight',
    task: 'the share of other systems beaten by mean scores, averaged over tasks by weight',
    mean: 'the mean over tasks of mean scores, by weight; tasks without a score of a system are left out',
    'bradley-terry':
      'the natural logarithm of the strength, with mean 0: one that is higher by 1.1 wins three times as often as it loses; each battle counts by the weight of its task',
    'bradley-terry-prior':
      'the same strength, where each system has one more, virtual battle, half won and half lost, against one more system; each battle counts by the weight of its task',
  }[way];
}
