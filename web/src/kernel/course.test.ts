import { expect, test } from 'vitest';
import { linearTo, pieces, placeOf, ticksOf } from './course';

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
