import { expect, test } from 'vitest';
import { holesOf, shadeOf } from './hole';

test('holes are counted by system, by task and by cell', () => {
  const found = holesOf({ systems: 3, sizes: [4, 1], scored: [4, 1, 0, 1, 3, 0] });
  expect(found).toEqual({
    cells: 15,
    missing: 6,
    ofSystem: Float64Array.from([0, 4, 2]),
    onTask: Float64Array.from([5, 1]),
  });
});

test('nothing and all have shades of their own', () => {
  expect([0, 1, 33, 34, 67, 99, 100].map((there) => shadeOf(there, 100))).toEqual([0, 1, 1, 2, 3, 3, 4]);
});
