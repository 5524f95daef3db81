import { expect, test } from 'vitest';
import { apart, scaled, spanOf, spread, ticksOf } from './axis';

test('an axis holds 0 and what is not far from the rest', () => {
  const near = [1, 2, 3, 4].map((at) => ({ low: at, high: at + 1 }));
  expect(spanOf(near)).toEqual({ low: -0.15, high: 5.15 });
  const { low, high } = spanOf([...near, { low: -900, high: 900 }]);
  expect(low).toBeGreaterThan(-20);
  expect(high).toBeLessThan(30);
  expect(spanOf([{ low: NaN, high: NaN }])).toEqual({ low: -1, high: 1 });
});

test('numbers on an axis are round', () => {
  expect(ticksOf({ low: -0.15, high: 5.15 }, 6)).toEqual({ values: [0, 1, 2, 3, 4, 5], places: 0 });
  const { values, places } = ticksOf({ low: -0.031, high: 0.012 }, 5);
  expect([values.map((value) => value.toFixed(places)), places]).toEqual([
    ['-0.03', '-0.02', '-0.01', '0.00', '0.01'],
    2,
  ]);
});

test('labels keep their order, and stand a row apart', () => {
  expect(spread([1, 1, 2, 9], 1, 1, Infinity)).toEqual([1, 2, 3, 9]);
  expect(spread([4, 1, 4], 1, 1, Infinity)).toEqual([4, 1, 5]);
  expect(spread([9, 9], 2, 0, 10)).toEqual([8, 10]);
});

test('labels without room are left out, and the last one never is', () => {
  const at = (count: number, distance: number): number[] =>
    Array.from({ length: count }, (_, place) => distance * place);
  expect(apart(at(3, 100), 20)).toEqual([0, 1, 2]);
  expect(apart(at(100, 9), 20).slice(0, 2)).toEqual([0, 3]);
  expect(apart(at(5, 9), 20)).toEqual([1, 4]);
});

test('a number stands between two places as it lies between two numbers', () => {
  expect([2, 4, 6].map(scaled([2, 6], [100, 0]))).toEqual([100, 50, 0]);
});
