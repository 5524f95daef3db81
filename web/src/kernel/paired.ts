/** How much better one system is than another on one task: the mean difference, as `podium.comparison.effects` has it. */

import { effectiveNumber } from './freedom';

export interface PairedTask {
  readonly instances: number;
  /** Row-major systems × instances, as given; NaN where missing. */
  readonly scores: Float64Array;
  readonly higherIsBetter: boolean;
  readonly weights: Float64Array | null;
  readonly clusters: Int32Array | null;
}

export interface Effect {
  /** Instances scored for both, and for one of the two only. */
  readonly n: number;
  readonly alone: number;
  /** Means over the former, as given. */
  readonly control: number;
  readonly treatment: number;
  /** Mean difference, positive where the treatment is better, and its sampling variance; NaN where it is not known. */
  readonly effect: number;
  readonly variance: number;
  /** Why it is not known; empty where it is. */
  readonly why: string;
  /** Whether the variance is a limit, as all differences are equal. */
  readonly limited: boolean;
  /** Whether all scores of the two are 0 or 1, and then on how many instances only one of them is right. */
  readonly binary: boolean;
  readonly better: number;
  readonly worse: number;
  /** Instances that the variance is known from, clusters of these (0 without), and the mean variance of both. */
  readonly effective: number;
  readonly clusters: number;
  readonly spread: number;
  /** Variance of the differences, divided by n, and what the third moment is of it, Σ (d − D)³ / Σ (d − D)²; or 0. */
  readonly squares: number;
  readonly lean: number;
  /** Whether both have the same score everywhere. */
  readonly constant: boolean;
}

/** Instances needed to know a variance. */
const LEAST = 2;

/** Variances below this share of those they are a part of are rounding. */
const ROUNDING = 1e-12;

const CONSTANT = 'the scores do not vary';

/** Compare the rows `control` and `treatment` of a task. */
export function pairedEffect(task: PairedTask, control: number, treatment: number): Effect {
  const [old, other] = [rowOf(task, control), rowOf(task, treatment)];
  const both = placesOf(task, (place) => !Number.isNaN(old[place]) && !Number.isNaN(other[place]));
  const weights = both.map((place) => task.weights?.[place] ?? 1);
  const at = (row: Float64Array): number[] => both.map((place) => row[place]);
  const [of, by] = [moments(at(old), weights), moments(at(other), weights)];
  const sign = task.higherIsBetter ? 1 : -1;
  const differences = both.map((place) => sign * (other[place] - old[place]));
  const { mean, variance } = moments(differences, weights);
  const largest = both.reduce((most, place) => Math.max(most, Math.abs(old[place]), Math.abs(other[place])), 0);
  const effective = task.weights === null ? both.length : effectiveNumber(weights);
  const spread = (vary(of, old, task.weights) + vary(by, other, task.weights)) / 2;
  const limited = variance <= (4 * Number.EPSILON * largest) ** 2;
  const known = limited ? Math.max(2 * spread, mean ** 2) / effective : (variance * effective) / (effective - 1);
  const moved = differences.map((difference) => (limited ? 0 : difference - mean));
  const clustered = clusteredBy(task.clusters, both, weights, moved);
  const binary = isBinary(old) && isBinary(other);
  const counted = (side: number): number => differences.filter((one) => Math.sign(one) === side).length;
  const facts = {
    n: both.length,
    alone: scored(old) + scored(other) - 2 * both.length,
    control: of.mean,
    treatment: by.mean,
    limited,
    binary,
    better: counted(1),
    worse: counted(-1),
    effective,
    clusters: clustered?.number ?? 0,
    spread,
    squares: limited ? 0 : variance,
    lean: limited
      ? 0
      : moments(
          differences.map((one) => (one - mean) ** 3),
          weights,
        ).mean / variance,
    constant: false,
  };
  const why = unknown(effective, spread === 0 && mean === 0, clustered?.number ?? null);
  if (why === CONSTANT) return { ...facts, effect: NaN, variance: NaN, why, constant: true };
  if (why !== '') return { ...facts, effect: NaN, variance: NaN, why };
  return { ...facts, effect: mean, variance: (known / effective) * (clustered?.factor ?? 1), why };
}

function unknown(effective: number, constant: boolean, clusters: number | null): string {
  if (!(effective >= LEAST)) return 'fewer than two instances scored for both';
  if (clusters !== null && clusters < 2) return 'all instances are in one cluster';
  return constant ? CONSTANT : '';
}

function rowOf({ scores, instances }: PairedTask, row: number): Float64Array {
  return scores.subarray(row * instances, (row + 1) * instances);
}

function placesOf({ instances }: PairedTask, keep: (place: number) => boolean): number[] {
  const places: number[] = [];
  for (let place = 0; place < instances; place += 1) if (keep(place)) places.push(place);
  return places;
}

function scored(row: Float64Array): number {
  return row.reduce((count, score) => count + (Number.isNaN(score) ? 0 : 1), 0);
}

function isBinary(row: Float64Array): boolean {
  return row.every((score) => score === 0 || score === 1 || Number.isNaN(score));
}

interface Moments {
  readonly mean: number;
  /** Divided by the sum of the weights. */
  readonly variance: number;
  readonly total: number;
}

/** Weighted mean and variance, from the first that weighs something: what is constant has no variance. */
function moments(values: readonly number[], weights: readonly number[]): Moments {
  const first =
    values[
      Math.max(
        weights.findIndex((weight) => weight > 0),
        0,
      )
    ] ?? NaN;
  let [total, sum] = [0, 0];
  values.forEach((value, at) => {
    total += weights[at];
    sum += weights[at] * (value - first);
  });
  const shift = sum / total;
  let squares = 0;
  values.forEach((value, at) => {
    squares += weights[at] * (value - first - shift) ** 2;
  });
  return { mean: first + shift, variance: squares / total, total };
}

/** The variance of a row where both are scored; 0 where that is rounding of what it has anywhere. */
function vary({ variance, total }: Moments, row: Float64Array, weights: Float64Array | null): number {
  const there = Array.from(row.keys()).filter((place) => !Number.isNaN(row[place]));
  const all = moments(
    there.map((place) => row[place]),
    there.map((place) => weights?.[place] ?? 1),
  );
  return variance * total > ROUNDING * all.variance * all.total ? variance : 0;
}

/** How many clusters there are, and by what they multiply a variance, see `design_effect` in Python. */
function clusteredBy(
  clusters: Int32Array | null,
  places: readonly number[],
  weights: readonly number[],
  moved: readonly number[],
): { number: number; factor: number } | null {
  if (clusters === null) return null;
  const sums = new Map<number, number>();
  let [alone, n] = [0, 0];
  places.forEach((place, at) => {
    if (weights[at] === 0) return;
    const step = weights[at] * moved[at];
    sums.set(clusters[place], (sums.get(clusters[place]) ?? 0) + step);
    alone += step * step;
    n += 1;
  });
  const number = sums.size;
  if (alone === 0) return { number, factor: n / number };
  const together = [...sums.values()].reduce((sum, one) => sum + one * one, 0);
  const corrected = number / (number - 1) / (n / (n - 1));
  return { number, factor: (corrected * together) / alone };
}
