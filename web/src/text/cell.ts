/** What the card of a cell says. */

import { countText, scoreText, weightText } from './number';
import { percent } from './sentence';

/** What a cell says: of a group its tasks together. */
export interface CellFacts {
  readonly name: string;
  /** How many tasks it stands for, and on how many of them there is a score. */
  readonly of: number;
  readonly scored: number;
  /** Share of the others beaten; NaN where the ranking leaves all of it out. */
  readonly share: number;
  /** NaN of a group, whose tasks have units of their own. */
  readonly mean: number;
  /** What its bar says, and by what its group multiplies that. */
  readonly weight: number;
  readonly by: number;
  /** Share of all weight. */
  readonly part: number;
  /** NaN of strengths, to which nothing is added. */
  readonly adds: number;
  /** Whether it is a share of battles. */
  readonly ofBattles: boolean;
}

/** Say what stands behind a cell, after its name; the mean leaves out what has no score. */
export function cellInWords(cell: CellFacts, isMean: boolean, shown: (score: number) => string): string {
  const tasks = cell.of > 1 ? `, ${countText(cell.of)} tasks` : '';
  const part = `${Math.round(100 * cell.part)}% of all`;
  const adds = Number.isNaN(cell.adds) ? '' : `: adds ${shown(cell.adds)}`;
  return `${tasks}: ${beatenInWords(cell, isMean)}. Weight ${weightInWords(cell)}, ${part}${adds}.`;
}

function beatenInWords({ of, scored, share, mean, ofBattles }: CellFacts, isMean: boolean): string {
  if (ofBattles && scored === 0) return 'no battles here';
  if (ofBattles) return `wins ${percent(Math.round(1000 * share) / 1000)} of its battles`;
  if (scored === 0 && isMean) return 'no score here, so it counts for nothing';
  const beats = `beats ${percent(Math.round(1000 * share) / 1000)} of the others${of > 1 ? ' on average' : ''}`;
  if (scored === 0) return `${beats}; it has no score here, and counts as shown`;
  if (of === 1) return `${beats}, score ${scoreText(mean)}`;
  if (scored === of) return beats;
  return `${beats}; it has scores on ${countText(scored)}, and the others count ${isMean ? 'for nothing' : 'as in the ranking'}`;
}

/** What it weighs; inside a group that is multiplied, by both. */
function weightInWords({ weight, by }: CellFacts): string {
  return by === 1
    ? weightText(weight)
    : `${weightText(weight * by)} (${weightText(weight)} × ${weightText(by)} of its group)`;
}
