/** How much better one system is than another on one task, as `podium.comparison.effects`; and on which instances. */

import { effectiveNumber } from './freedom';

export interface PairedTask {
  readonly instances: number;
  /** Row-major systems × instances, as given; NaN where missing. */
  readonly scores: Float64Array;
  readonly higherIsBetter: boolean;
  readonly weights: Float64Array | null;
  readonly clusters: Int32Array | null;
}

/** Effects: the mean difference, and the same in standard deviations (Hedges' g), by the names of podium. */
export type Measure = 'md' | 'smd';

export interface Effect {
  /** Instances scored for both, and for one of the two only. */
  readonly n: number;
  readonly alone: number;
  /** Means over the former, as given. */
  readonly control: number;
  readonly treatment: number;
  /** Positive where the treatment is better, and its sampling variance; NaN where it is not known. */
  readonly effect: number;
  readonly variance: number;
  /** Why it is not known; empty where it is. */
  readonly why: string;
  /** Whether the variance is a limit, as all differences are equal, or of standardised ones, scores correlate perfectly. */
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
const LEAST = { md: 2, smd: 3 } as const;

/** Variances below this share of those they are a part of are rounding; and so is what a correlation lacks to 1. */
const ROUNDING = 1e-12;

const CONSTANT = 'the scores do not vary';

/** Why a difference has no size in standard deviations. */
export const ONE_SCORE = 'each of the two has one score on all instances';

/** Compare the rows `control` and `treatment` of a task. */
export function pairedEffect(task: PairedTask, control: number, treatment: number, measure: Measure = 'md'): Effect {
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
  const each = [vary(of, old, task.weights), vary(by, other, task.weights)] as const;
  const spread = (each[0] + each[1]) / 2;
  const equal = variance <= (4 * Number.EPSILON * largest) ** 2;
  const found =
    measure === 'smd'
      ? standardised(mean, equal ? 0 : variance, each, effective)
      : { effect: mean, variance: ofMean(mean, equal ? 0 : variance, spread, effective), limited: equal };
  const { limited } = found;
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
    squares: equal ? 0 : variance,
    lean: equal
      ? 0
      : moments(
          differences.map((one) => (one - mean) ** 3),
          weights,
        ).mean / variance,
    constant: false,
  };
  const why = unknown(effective, LEAST[measure], spread === 0 && mean === 0, clustered?.number ?? null);
  if (why === CONSTANT) return { ...facts, effect: NaN, variance: NaN, why, constant: true };
  if (why !== '') return { ...facts, effect: NaN, variance: NaN, why };
  if (!Number.isFinite(found.effect)) return { ...facts, effect: NaN, variance: NaN, why: ONE_SCORE };
  return { ...facts, effect: found.effect, variance: found.variance * (clustered?.factor ?? 1), why };
}

/** Of differences that are all equal the variance is a limit: as if on one instance both were scored independently. */
function ofMean(mean: number, variance: number, spread: number, n: number): number {
  return (variance > 0 ? (variance * n) / (n - 1) : Math.max(2 * spread, mean ** 2) / n) / n;
}

/** Hedges' g: the mean difference in standard deviations inside the systems, see `effect_sizes` in Python. */
function standardised(
  mean: number,
  variance: number,
  [one, other]: readonly [number, number],
  n: number,
): { effect: number; variance: number; limited: boolean } {
  const spread = (one + other) / 2;
  const product = Math.sqrt(one * other);
  const ratio = product > 0 ? (spread - variance / 2) / product : 0;
  const correlation = 1 - Math.abs(ratio) < ROUNDING ? Math.sign(ratio) : ratio;
  const limited = variance === 0 || correlation === 1;
  const apart = limited ? 2 / n : 2 * (1 - correlation);
  const within = limited ? spread : variance / apart;
  const d = mean / Math.sqrt((within * n) / (n - 1));
  const correction = 1 - 3 / (4 * (n - 1) - 1);
  return { effect: correction * d, variance: ((correction ** 2 * (1 + d ** 2 / 2)) / n) * apart, limited };
}

function unknown(effective: number, least: 2 | 3, constant: boolean, clusters: number | null): string {
  if (!(effective >= least)) return `fewer than ${least === 2 ? 'two' : 'three'} instances scored for both`;
  if (clusters !== null && clusters < 2) return 'all instances are in one cluster';
  return constant ? CONSTANT : '';
}

export function rowOf({ scores, instances }: PairedTask, row: number): Float64Array {
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

export interface Disagreement {
  readonly task: number;
  readonly instance: number;
  readonly control: number;
  readonly treatment: number;
  /** How much better the treatment is; positive is better. */
  readonly difference: number;
  /** Systems that do at least as well as the better of the two, of those with a score. */
  readonly right: number;
  readonly scored: number;
}

/**
 * Instances with different scores. Where all scores are 0 or 1, the hardest come first: those that the smallest share
 * of systems gets right. Else the largest differences, each as a share of the largest of its task.
 */
export function disagreements(
  tasks: readonly (PairedTask & { readonly task: number })[],
  systems: number,
  [control, treatment]: readonly [number, number],
  binary: boolean,
): Disagreement[] {
  const found = tasks.flatMap((task) => {
    const own = differing(task, systems, control, treatment);
    const largest = own.reduce((most, { difference }) => Math.max(most, Math.abs(difference)), 0);
    return own.map((one) => ({ one, key: binary ? one.right / one.scored : -Math.abs(one.difference) / largest }));
  });
  return found.sort((left, right) => left.key - right.key).map(({ one }) => one);
}

function differing(
  { task, scores, instances, higherIsBetter }: PairedTask & { readonly task: number },
  systems: number,
  control: number,
  treatment: number,
): Disagreement[] {
  const found: Disagreement[] = [];
  const sign = higherIsBetter ? 1 : -1;
  for (let instance = 0; instance < instances; instance += 1) {
    const [old, other] = [scores[control * instances + instance], scores[treatment * instances + instance]];
    const difference = sign * (other - old);
    if (difference === 0 || Number.isNaN(difference)) continue;
    const better = Math.max(sign * old, sign * other);
    let [right, scored] = [0, 0];
    for (let system = 0; system < systems; system += 1) {
      const score = sign * scores[system * instances + instance];
      if (score >= better) right += 1;
      if (!Number.isNaN(score)) scored += 1;
    }
    found.push({ task, instance, control: old, treatment: other, difference, right, scored });
  }
  return found;
}
