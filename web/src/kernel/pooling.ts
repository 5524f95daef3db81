/** Effects on several tasks become one, with its interval: random effects by REML, intervals by Knapp and Hartung. */

import { chiSquaredTail, normalQuantile, studentQuantile } from './distribution';
import { dersimonianLaird, fitted, freedomOf, reml, spreadOf, studiesOf, type Fit } from './heterogeneity';
import type { Effect } from './paired';
import { newTask } from './prediction';

/** Numbers that do not exist, such as how far a single task differs, are NaN. */
export interface Pooled {
  readonly tasks: number;
  readonly effect: number;
  readonly low: number;
  readonly high: number;
  /** Degrees of freedom of its interval; infinite of a single task, whose interval is normal. */
  readonly freedom: number;
  /** Where the effect on a new task is expected. */
  readonly newLow: number;
  readonly newHigh: number;
  /** Variance between tasks, its share of all variance, Cochran's Q and its p-value. */
  readonly tau2: number;
  readonly i2: number;
  readonly q: number;
  readonly qP: number;
  /** Share of each task in the summary. */
  readonly weights: Float64Array;
}

/** Pool effects, weighed by w = 1 / (v + τ²); without `ahead` nothing is said of a new task. */
export function pooled(
  effects: ArrayLike<number>,
  variances: ArrayLike<number>,
  confidence: number,
  ahead = true,
): Pooled {
  const studies = studiesOf(effects, variances);
  const tasks = studies.effects.length;
  const atZero = fitted(studies, 0);
  const tau2 = tasks > 1 ? reml(studies) : 0;
  const fit = fitted(studies, tau2);
  const freedom = tasks > 1 ? Math.min(Math.max(freedomOf(fit), 1), tasks - 1) : Infinity;
  const reach = reachOf(freedom, confidence);
  const error = Math.sqrt(factorOf(fit, tasks) / fit.total);
  const [low, high] = [fit.mean - reach * error, fit.mean + reach * error];
  const [newLow, newHigh] = tasks > 1 && ahead ? newTask(studies, confidence) : [NaN, NaN];
  const q = tasks > 1 ? spreadOf(atZero) : NaN;
  const ratio = (tau2 * atZero.pairWeight) / (tasks - 1); // τ² / v̄
  return {
    tasks,
    effect: fit.mean,
    low,
    high,
    freedom,
    newLow: Math.min(newLow, low),
    newHigh: Math.max(newHigh, high),
    tau2: tasks > 1 ? tau2 : NaN,
    i2: tasks > 1 ? ratio / (1 + ratio) : NaN,
    q,
    qP: tasks > 1 ? chiSquaredTail(q, tasks - 1) : NaN,
    weights: fit.weights.map((weight) => weight / fit.total),
  };
}

/** Standard errors by which a weighted mean may be off; and so many for each instance less. */
const [OFF, OFF_BY_CHANCE] = [0.25, 8];

/** Tasks as they are pooled. */
export interface Weighed<T> {
  readonly tasks: readonly T[];
  /** Variances of those with an effect, in order. */
  readonly variances: readonly number[];
  /** Whether weights would follow effects, so that all count as equally precise, and no difference as an effect of 0. */
  readonly alike: boolean;
}

/** Weigh tasks by their own variances, or all alike, see `_alike` in `podium.comparison.synthesis`. */
export function weighed<T extends Effect & { readonly weight: number }>(tasks: readonly T[]): Weighed<T> {
  const kept = tasks.filter(isKept);
  const variances = kept.map(({ variance }) => variance);
  const own = { tasks, variances, alike: false };
  const squares = kept.reduce((sum, one) => sum + one.squares, 0);
  if (!(squares > 0 && Number.isFinite(squares))) return own;
  const size = Math.abs(kept.reduce((sum, one) => sum + one.lean * one.squares, 0)) / squares;
  const studies = studiesOf(
    kept.map(({ effect }) => effect),
    variances,
  );
  const { weights, total } = fitted(studies, dersimonianLaird(studies));
  const shares = kept.map((one) => (one.squares > 0 ? one.variance / one.squares : 1 / one.effective));
  const share = shares.reduce((sum, one, at) => sum + (one * weights[at]) / total, 0);
  if (size * share * Math.sqrt(total) <= Math.max(OFF, OFF_BY_CHANCE * share)) return own;
  const filled = tasks.map((one) =>
    one.constant && one.weight > 0
      ? { ...one, effect: 0, variance: (size / one.effective) ** 2, limited: true, why: '' }
      : one,
  );
  const all = filled.filter(isKept);
  const mean = all.reduce((sum, { variance }) => sum + variance, 0) / all.length;
  return all.length < 2 ? own : { tasks: filled, variances: all.map(() => mean), alike: true };
}

export function isKept({ why, weight }: Pick<Effect, 'why'> & { readonly weight: number }): boolean {
  return why === '' && weight > 0;
}

/** Tasks up to which each is left out in turn; of more, one hardly matters. */
const MANY = 100;

/** Tasks without which the interval of the average holds 0 where it does not, or the other way round; null of too many. */
export function turning(effects: readonly number[], variances: readonly number[], confidence: number): number[] | null {
  if (effects.length < 3) return [];
  if (effects.length > MANY) return null;
  const sure = leaves(pooled(effects, variances, confidence, false));
  const without = (of: readonly number[], task: number): number[] => of.filter((_, at) => at !== task);
  return [...effects.keys()].filter(
    (task) => leaves(pooled(without(effects, task), without(variances, task), confidence, false)) !== sure,
  );
}

function leaves({ low, high }: Pooled): boolean {
  return low > 0 || high < 0;
}

/** The interval of one effect by itself: its distance from either end. */
export function ownReach(variance: number, confidence: number): number {
  return -normalQuantile((1 - confidence) / 2) * Math.sqrt(variance);
}

/** What the variance of a mean is multiplied by (Knapp & Hartung 2003), and not below 1. */
function factorOf(fit: Fit, tasks: number): number {
  return tasks > 1 ? Math.max(spreadOf(fit) / (tasks - 1), 1) : 1;
}

function reachOf(freedom: number, confidence: number): number {
  const tail = (1 - confidence) / 2;
  return -(freedom < Infinity ? studentQuantile(tail, freedom) : normalQuantile(tail));
}
