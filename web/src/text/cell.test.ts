import { expect, test } from 'vitest';
import { cellInWords, type CellFacts } from './cell';
import { shareText } from './number';

const TASK: CellFacts = {
  name: 't',
  of: 1,
  scored: 1,
  share: 0.75,
  mean: 0.5,
  weight: 1,
  by: 1,
  part: 0.1,
  ofBattles: false,
  adds: 0.075,
};
const GROUP: CellFacts = { ...TASK, of: 8, scored: 8, mean: NaN };

test.each([
  [TASK, false, ': beats 75% of the others, score 0.5. Weight 1, 10% of all: adds .075.'],
  [
    { ...TASK, weight: 2, by: 0.5 },
    false,
    ': beats 75% of the others, score 0.5. Weight 1 (2 × 0.5 of its group), 10% of all: adds .075.',
  ],
  [
    { ...TASK, scored: 0 },
    false,
    ': beats 75% of the others; it has no score here, and counts as shown. Weight 1, 10% of all: adds .075.',
  ],
  [
    { ...TASK, scored: 0, share: NaN, adds: 0 },
    true,
    ': no score here, so it counts for nothing. Weight 1, 10% of all: adds .000.',
  ],
  [GROUP, true, ', 8 tasks: beats 75% of the others on average. Weight 1, 10% of all: adds .075.'],
  [
    { ...GROUP, scored: 6 },
    false,
    ', 8 tasks: beats 75% of the others on average; it has scores on 6, and the others count as in the ranking. Weight 1, 10% of all: adds .075.',
  ],
  [
    { ...GROUP, scored: 6 },
    true,
    ', 8 tasks: beats 75% of the others on average; it has scores on 6, and the others count for nothing. Weight 1, 10% of all: adds .075.',
  ],
])('%o', (cell, isMean, said) => {
  expect(cellInWords(cell, isMean, shareText)).toBe(said);
});
