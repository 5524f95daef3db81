import { expect, test } from 'vitest';
import { drawnOf, linearTo, pieces, placeOf, ticksOf } from './course';

/** Ranks of systems, step by step. */
function course(...steps: number[][]): Parameters<typeof drawnOf>[0] {
  return { systems: steps[0].length, steps: steps.length, ranks: steps.flat() };
}

test('who is first now is drawn, who was first once, and then the best', () => {
  const last = [3, 1, 2, 4, 5, 6, 7, 8, 9, 0];
  const before = [4, 2, 3, 5, 6, 7, 8, 9, 1, 10];
  expect(drawnOf(course(before, last), 10)).toEqual([1, 2, 0, 3, 4, 5, 6, 7, 8, 9]);
  expect(drawnOf(course(before, last), 7)).toEqual([1, 2, 0, 3, 4, 5, 8]);
  expect(drawnOf(course(before, last), 8)).toEqual([1, 2, 0, 3, 4, 5, 6, 8]);
  expect(drawnOf(course([0, 1], [0, 1]), 8)).toEqual([1]);
});

test('every rank has a row down to some, and below them a doubling has four', () => {
  const most = linearTo(30);
  expect([1, most].map((rank) => placeOf(rank, 30))).toEqual([1, most]);
  expect(placeOf(4 * most, 30)).toBeCloseTo(most + 8, 12);
  expect(ticksOf(4, 30)).toEqual([1]);
  expect(ticksOf(12, 30)).toEqual([1, 5, 10]);
  expect(ticksOf(662, 30)).toEqual([1, 5, 10, 15, 20, 25, 30, 35, 40, 50, 100, 200, 500]);
});

test('a line has a gap where there is no rank', () => {
  expect(pieces([0, 2, 1, 0, 0, 3])).toEqual([[1, 2], [5]]);
  expect(pieces([0, 0])).toEqual([]);
});
