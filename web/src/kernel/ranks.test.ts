import { expect, test } from 'vitest';
import cases from '../../cases/agreement.json';
import { compareText } from './place';
import { linearTo, pieces, placeOf, ranksAmong, ranksOf, slots, ticksOf } from './ranks';

test.each(cases)('$systems systems by $methods methods are drawn as Python draws them', (wanted) => {
  const among = wanted.columns.map((method) => ranksAmong(wanted, method, wanted.drawn));
  expect(among).toEqual(wanted.among);
  const byName = (one: number, other: number): number => compareText(wanted.names[one], wanted.names[other]);
  expect(slots(among, byName)).toEqual(wanted.left);
  expect(slots([...among].reverse(), byName)).toEqual(wanted.right);
});

test('ranks of a system are those of its column', () => {
  expect(ranksOf({ systems: 2, ranks: [1, 2, 2, 1, 1, 1] }, 1)).toEqual([2, 1, 1]);
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
