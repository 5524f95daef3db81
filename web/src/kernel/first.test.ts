import { describe, expect, test } from 'vitest';
import {
  asked,
  beatenEverywhereBy,
  distance,
  DRAWS,
  firstShares,
  leastChanges,
  nearestWeights,
  neverFirst,
  PIECE,
} from './program';
import { rankByShares, type Shares } from './standing';
import cases from '../../cases/weighting.json';

function boardOf({ systems, tasks, shares }: { systems: number; tasks: number; shares: number[] }): Shares {
  return { systems, tasks, shares: Float64Array.from(shares) };
}

function firsts(board: Shares): Float64Array {
  const steps = firstShares(board);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Four standard errors of a share that draws give. */
function near(share: number): number {
  return 4 * Math.sqrt((share * (1 - share)) / DRAWS) + 1e-9;
}

test('of two tasks a system is first on an interval of weights', () => {
  // by w on the first task: a is 1 − w, b is 0.6, c is w, d is 0.9 − 0.9 w, e is 0.5; b lies above a and c in between
  const shares = [0, 1, 0.6, 0.6, 1, 0, 0, 0.9, 0.5, 0.5];
  const found = firsts(boardOf({ systems: 5, tasks: 2, shares }));
  [0.4, 0.2, 0.4].forEach((share, system) => expect(Math.abs(found[system] - share)).toBeLessThan(near(share)));
  expect(Array.from(found.subarray(3))).toEqual([NaN, NaN]);
});

test('shares of the weightings drawn so far add up to 1, and the last of them are the answer', () => {
  const board = boardOf({ systems: 3, tasks: 2, shares: [1, 0, 0, 1, 0.4, 0.4] });
  const seen = [...firstShares(board)].slice(0, DRAWS / PIECE);
  for (const so of seen) expect(so.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  expect(seen).toHaveLength(DRAWS / PIECE);
  const [last, whole] = [seen[seen.length - 1], firsts(board)];
  [0, 1].forEach((system) => expect(last[system]).toBeCloseTo(whole[system], 9));
});

test('equal systems share the first rank, and what no weighting drawn finds may still be possible', () => {
  const found = firsts(boardOf({ systems: 3, tasks: 2, shares: [1, 1, 1, 1, 1, 0.5] }));
  expect(Array.from(found, (share) => Number(share.toFixed(9)))).toEqual([0.5, 0.5, 0]);
});

describe.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
  const board = boardOf(one);

  test('shares are those of many more draws of Python', () => {
    const found = firsts(board);
    one.first.forEach((share, system) => {
      const never = one.margin[system] < -1e-7;
      expect(neverFirst(board, system)).toBe(never);
      if (never) expect([found[system], share]).toEqual([NaN, 0]);
      else expect(Math.abs(found[system] - share)).toBeLessThan(1.5 * near(share) + 1e-3);
    });
  });

  test('changes of weights are as small as those of another solver, and do what is asked', () => {
    const put = (weights: number[], system: number): number =>
      rankByShares(board, Float64Array.from(weights)).rank[system];
    for (const { system, rank, moved } of one.nearest) {
      const { up, leads } = asked(board, one.weights, { system, rank });
      const changes = leastChanges(leads, one.weights, 1e-6);
      const found = nearestWeights(board, one.weights, { system, rank });
      if (moved === null) expect(changes).toBeNull();
      else
        expect(
          Math.abs((changes ?? new Float64Array(0)).reduce((sum, by) => sum + Math.abs(by), 0) / 2 - moved),
        ).toBeLessThan(1e-6);
      if (found.weights === null) {
        if (found.proven || up) expect(moved).toBeNull(); // downwards, an equal system stays beside it
        if (rank === 1) expect(found.proven).toBe(one.margin[system] < -1e-7);
      } else {
        const got = put(found.weights, system);
        expect(up ? got <= rank : got >= rank).toBe(true);
        expect(found.weights.every((weight) => weight >= 0)).toBe(true);
        expect(found.moved).toBe(distance(one.weights, found.weights));
        if (moved !== null) expect(Math.abs(found.moved - moved)).toBeLessThan(0.02);
      }
    }
  });
});

test('who is beaten on every task by one other is known by name', () => {
  const board = boardOf({ systems: 3, tasks: 2, shares: [1, 0.4, 0.5, 1, 0, 0] });
  expect([0, 1, 2].map((system) => beatenEverywhereBy(board, system))).toEqual([-1, -1, 0]);
  expect(nearestWeights(board, [1, 1], { system: 2, rank: 1 })).toEqual({ weights: null, proven: true });
});

test('of two tasks the nearest weights are where two systems meet', () => {
  const board = boardOf({ systems: 2, tasks: 2, shares: [1, 0, 0, 0.5] });
  const found = nearestWeights(board, [1, 1], { system: 1, rank: 1 });
  expect(found.weights).toEqual([0.665, 1.33]); // 2/3 and 4/3, and a lead
  expect(found.weights === null ? NaN : found.moved).toBeCloseTo(1 / 6, 3);
});
