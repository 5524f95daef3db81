import { expect, test } from 'vitest';
import { type Lift, liftInWords } from './sentence';

const LIFT: Lift = { name: 'A', rank: 1, before: 5, got: 1, moved: 0.124, proven: true, beatenBy: null };

test.each<[Partial<Lift>, string]>([
  [
    {},
    'Nearest weights under which A is first: 12% of all weight moves. Its rank is sure only for weights chosen beforehand.',
  ],
  [
    { rank: 3, got: 3, moved: 0.002 },
    'Nearest weights under which A has rank 3: less than 1% of all weight moves. Its rank is sure only for weights chosen beforehand.',
  ],
  [{ moved: null }, 'No weights put A first.'],
  [{ moved: null, proven: false }, 'No weights put A clearly first.'],
  [{ moved: null, beatenBy: 'B' }, 'No weights put A first. B beats it on every task.'],
  [{ moved: null, rank: 3 }, 'No weights put A above all but the best two others.'],
  [{ moved: null, rank: 7 }, 'No weights put the best six others above A.'],
])('%o', (lift, words) => {
  expect(
    liftInWords({ ...LIFT, ...lift })
      .map(({ text }) => text)
      .join(''),
  ).toBe(words);
});
