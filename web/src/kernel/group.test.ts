import { expect, test } from 'vitest';
import { meanOver, mixOf, weighing, weightsOf } from './group';
import { draws } from './draw';

const MEMBERS = [
  [0, 2],
  [1, 4],
];

test('the weight of a group multiplies those of its tasks', () => {
  expect(weightsOf({ tasks: [1, 2, 3, 4, 5], groups: [0.5, 0] }, MEMBERS)).toEqual([0.5, 0, 1.5, 4, 0]);
});

test('weights that are wanted come out, and what stays is left alone', () => {
  const before = { tasks: [1, 2, 3, 4, 5], groups: [0.5, 0] };
  expect(weighing([0.5, 0, 1.5, 4, 0], before, MEMBERS)).toEqual(before);
  expect(weighing([0.5, 0, 2, 1, 0], before, MEMBERS)).toEqual({ tasks: [1, 2, 4, 1, 5], groups: [0.5, 0] });
  expect(weighing([0, 0, 1.5, 4, 3], before, MEMBERS)).toEqual({ tasks: [0, 0, 3, 4, 3], groups: [0.5, 1] });
});

test('whatever is wanted comes out but for rounding', () => {
  const next = draws('0123456789abcdef');
  const draw = (): number => next() / 2 ** 32;
  for (let turn = 0; turn < 200; turn += 1) {
    const some = (number: number): number[] => Array.from({ length: number }, () => (draw() < 0.3 ? 0 : 3 * draw()));
    const wanted = some(5);
    const found = weightsOf(weighing(wanted, { tasks: some(5), groups: some(2) }, MEMBERS), MEMBERS);
    found.forEach((weight, task) => expect(weight).toBeCloseTo(wanted[task], 12));
  }
});

test('the cells of groups add up to the score, by what groups weigh', () => {
  const tasks = [1, 2, 3, 0, 5];
  const shares = Float64Array.of(0.9, 0.5, 0.1, 0.3, 0.7);
  const means = MEMBERS.map((own) => meanOver(shares, 0, own, mixOf(own, tasks)));
  expect((4 * means[0] + 7 * means[1]) / 11).toBeCloseTo((0.9 + 1 + 0.3 + 3.5) / 11, 14);
  expect(meanOver(shares, 0, [1, 3], mixOf([1, 3], [0, 0, 0, 0, 0], [0, 3, 0, 1, 0]))).toBeCloseTo(0.45, 14);
  expect(meanOver(shares, 0, [1, 3], mixOf([1, 3], [0, 0, 0, 0, 0]))).toBeCloseTo(0.4, 14);
});

test('a mean is over what is there', () => {
  const shares = Float64Array.of(0.9, NaN, 0.1, NaN);
  expect(meanOver(shares, 0, [0, 1, 2], Float64Array.of(0.5, 0.375, 0.125))).toBeCloseTo(0.74, 14);
  expect(meanOver(shares, 0, [0, 1, 2], Float64Array.of(0, 1, 0)), 'nothing that counts is there').toBe(0.5);
  expect(meanOver(shares, 0, [1, 3], Float64Array.of(0.5, 0.5))).toBeNaN();
});
