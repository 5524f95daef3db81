import { expect, test } from 'vitest';
import cases from '../../cases/agreement.json';
import { ranksAmong, ranksOf, slots } from './agreement';
import { compareText } from './place';

test.each(cases)('$systems systems by $methods methods are drawn as Python draws them', (wanted) => {
  const among = wanted.columns.map((method) => ranksAmong(wanted, method, wanted.drawn));
  expect(among).toEqual(wanted.among);
  const byName = (one: number, other: number): number => compareText(wanted.names[one], wanted.names[other]);
  expect(slots(among, byName)).toEqual(wanted.left);
  expect(slots([...among].reverse(), byName)).toEqual(wanted.right);
});

test('ranks of a system are those of its column', () => {
  expect(ranksOf({ systems: 2, methods: 3, ranks: [1, 2, 2, 1, 1, 1] }, 1)).toEqual([2, 1, 1]);
});
