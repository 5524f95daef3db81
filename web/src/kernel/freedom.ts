/** By how many units a standard error is known, as `podium.ranking.degrees_of_freedom`. */

import type { Component } from './unit';

/** Fewer degrees of freedom are too few to know a standard error by. */
export const LEAST_FREEDOM = 5;

/** (Σ a)² / Σ a²: how many equal ones would tell as much; 0 without any. */
export function effectiveNumber(values: Iterable<number>): number {
  const all = [...values];
  const most = all.reduce((largest, one) => Math.max(largest, one), 0);
  if (most === 0) return 0;
  let [sum, squares] = [0, 0];
  for (const value of all) {
    sum += value / most;
    squares += (value / most) ** 2;
  }
  return sum ** 2 / squares;
}

/** If tasks are drawn: (Σ w)² / Σ w² − 1 over families, which are numbered by task. */
export function freedomOfTasks(weights: Float64Array, families: readonly number[]): number {
  const size = effectiveNumber(sumsBy(weights, families).values());
  return size === 0 ? 0 : Number((size - 1).toPrecision(12));
}

/** Of means over groups of units of some sizes and variances: (Σ v)² / Σ v² / (n − 1), Satterthwaite (1946). */
export function satterthwaite(sizes: readonly number[], variances: readonly number[]): number {
  const whole = variances.reduce((sum, one) => sum + one, 0);
  const squares = variances.reduce((sum, one, at) => sum + one ** 2 / (sizes[at] - 1), 0);
  return sizes.length === 0 ? 0 : whole ** 2 / squares;
}

/**
 * If instances are drawn, over groups of tasks that are drawn together, and tasks of a single unit, whose families are
 * drawn among each other; 0 if one of these stands alone.
 */
export function freedomOfUnits(
  weights: Float64Array,
  components: readonly Component[],
  { families, lone }: { readonly families: readonly number[]; readonly lone: readonly boolean[] },
): number {
  const most = Math.max(0, ...weights) || 1;
  const alone = weights.map((weight, task) => (lone[task] ? weight / most : 0));
  const masses = [...sumsBy(alone, families).values()];
  const size = effectiveNumber(masses);
  if (size > 0 && size < 1 + 1e-9) return 0;
  const sizes = size > 0 ? [size] : [];
  const variances = size > 0 ? [masses.reduce((sum, one) => sum + one ** 2, 0)] : [];
  for (const { group, places } of components) {
    const own = places.filter((place) => !lone[group.tasks[place]]);
    const weight = own.map((place) => weights[group.tasks[place]] / most);
    const whole = weight.reduce((sum, one) => sum + one, 0);
    if (whole === 0) continue;
    let variance = 0;
    own.forEach((row, left) => {
      own.forEach((column, right) => {
        variance += weight[left] * weight[right] * group.gram[row * group.tasks.length + column];
      });
    });
    sizes.push(whole ** 2 / variance);
    variances.push(variance);
  }
  return Number(satterthwaite(sizes, variances).toPrecision(12)); // of six clusters it is 5, no less
}

/** Sums of weights that are not 0, by the number of each. */
export function sumsBy(weights: Float64Array, numbers: readonly number[]): Map<number, number> {
  const sums = new Map<number, number>();
  weights.forEach((weight, at) => {
    if (weight > 0) sums.set(numbers[at], (sums.get(numbers[at]) ?? 0) + weight);
  });
  return sums;
}
