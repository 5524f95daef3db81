/** Effects on several tasks become one: random effects by REML, intervals by Knapp and Hartung, and for a new task. */

import { chiSquaredTail, normalCdf, normalQuantile, studentQuantile } from './distribution';
import type { Effect } from './paired';

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

/** Effects y less one that weighs most, so that sums lose no digits; and their sampling variances v. */
export interface Studies {
  readonly effects: Float64Array;
  readonly variances: Float64Array;
  readonly origin: number;
}

/** Weights w = 1 / (v + τ²), residuals y − μ, Σ w, μ, and Σ w − Σ w² / Σ w. */
export interface Fit {
  readonly weights: Float64Array;
  readonly residuals: Float64Array;
  readonly total: number;
  readonly mean: number;
  readonly pairWeight: number;
}

/** Ratio of the values of τ² at which the slope of the likelihood, which may have several maxima, is looked at. */
const FACTOR = 3;

/** A step of this size leaves nothing but rounding, as Newton's method doubles the digits. */
const SMALL = 1e-9;

const STEPS = 200;

export function studiesOf(effects: ArrayLike<number>, variances: ArrayLike<number>): Studies {
  const known = Float64Array.from(variances);
  const least = Math.min(...known);
  const origin = Array.from(effects).reduce(
    (most, one, at) => (known[at] === least ? Math.max(most, one) : most),
    -Infinity,
  );
  return { effects: Float64Array.from(effects, (one) => one - origin), variances: known, origin };
}

export function fitted({ effects, variances, origin }: Studies, tau2: number): Fit {
  const weights = variances.map((variance) => 1 / (variance + tau2));
  let [total, pairs, sum] = [0, 0, 0];
  weights.forEach((weight, at) => {
    pairs += weight * total;
    total += weight;
    sum += weight * effects[at];
  });
  const shift = sum / total;
  const residuals = effects.map((one) => one - shift);
  return { weights, residuals, total, mean: origin + shift, pairWeight: (2 * pairs) / total };
}

/** Cochran's Q = Σ w (y − μ)². */
export function spreadOf({ weights, residuals }: Fit): number {
  return weights.reduce((whole, weight, at) => whole + weight * residuals[at] * residuals[at], 0);
}

/** Stands for a share that is too small for a number. */
const LEAST_SHARE = 1e-300;

/** Satterthwaite's degrees of freedom of the robust variance of μ: 1 / (Σ h² + Σ cᵢ cⱼ), c = h² / (1 − h) of shares h. */
export function freedomOf({ weights, total }: Fit): number {
  let [squares, pairs, levers] = [0, 0, 0];
  weights.forEach((weight, at) => {
    const share = weight / total;
    // What a large share leaves is summed, as digits would cancel.
    const left =
      share > 0.5 ? weights.reduce((sum, other, index) => (index === at ? sum : sum + other / total), 0) : 1 - share;
    const lever = (share * share) / Math.max(left, LEAST_SHARE);
    squares += share * share;
    pairs += lever * levers;
    levers += lever;
  });
  return 1 / (squares + 2 * pairs);
}

/** Maximise the restricted likelihood −½ (Σ log(v + τ²) + log Σ w + Q) over τ² ≥ 0 (Viechtbauer 2005). */
export function reml(studies: Studies): number {
  const grid = gridOf(studies);
  const rising = grid.map((tau2, at) => at < grid.length - 1 && slope(studies, tau2)[0] > 0);
  const found = rising[0] ? [] : [0];
  for (let at = 0; at < grid.length - 1; at += 1)
    if (rising[at] && !rising[at + 1]) found.push(root(studies, grid[at], grid[at + 1]));
  if (found.length < 2) return found[0] ?? 0;
  // of equals the largest
  return found.reduce((best, tau2) => (likelihood(studies, tau2) >= likelihood(studies, best) ? tau2 : best));
}

/** DerSimonian and Laird's estimate, not below 0. */
export function dersimonianLaird(studies: Studies): number {
  const atZero = fitted(studies, 0);
  const excess = spreadOf(atZero) - (studies.effects.length - 1);
  return studies.effects.length > 1 ? Math.max(excess / atZero.pairWeight, 0) : 0;
}

/** Values of τ² from 0 up to the squared range of the effects, beyond which there is no maximum. */
function gridOf({ effects, variances }: Studies): number[] {
  const least = Math.min(...variances) / FACTOR;
  const grid = [(Math.max(...effects) - Math.min(...effects)) ** 2];
  while (grid[0] > 0) grid.unshift(grid[0] / FACTOR > least ? grid[0] / FACTOR : 0);
  return grid;
}

/** The slope of the restricted likelihood, doubled, and its derivative. */
function slope(studies: Studies, tau2: number): [number, number] {
  const { weights, residuals, total, pairWeight } = fitted(studies, tau2);
  let [ww, www, wwr, wwrr, wwwrr] = [0, 0, 0, 0, 0];
  weights.forEach((w, at) => {
    const r = residuals[at];
    ww += w * w;
    www += w * w * w;
    wwr += w * w * r;
    wwrr += w * w * r * r;
    wwwrr += w * w * w * r * r;
  });
  const ofWeights = ww - (2 * www) / total + (ww / total) ** 2;
  return [wwrr - pairWeight, ofWeights - 2 * (wwwrr - wwr ** 2 / total)];
}

/** Where the slope falls through 0 between two values. */
function root(studies: Studies, from: number, to: number): number {
  return fallingRoot((tau2) => slope(studies, tau2), from, to, Math.min(...studies.variances));
}

/** Where a function, given with its slope, falls through 0 between two values, by Newton's method inside a bracket. */
export function fallingRoot(
  valueOf: (at: number) => [number, number],
  from: number,
  to: number,
  scale: number,
): number {
  let [low, high, at] = [from, to, from];
  for (let step = 0; step < STEPS; step += 1) {
    const [value, steep] = valueOf(at);
    if (value > 0) low = at;
    else high = at;
    const newton = at - value / steep;
    const near = steep < 0 && Math.abs(newton - at) <= SMALL * (at + scale);
    const good = near || (newton > low && newton < high);
    const next = good ? Math.min(Math.max(newton, low), high) : (low + high) / 2;
    const size = good ? Math.abs(next - at) : high - low;
    at = next;
    if (size <= SMALL * (at + scale)) break;
  }
  return at;
}

function likelihood(studies: Studies, tau2: number): number {
  const fit = fitted(studies, tau2);
  const logarithms = studies.variances.reduce((whole, variance) => whole + Math.log(variance + tau2), 0);
  return -(logarithms + Math.log(fit.total) + spreadOf(fit));
}

/** How far √χ² is from its middle, which is normal with variance ½, at most. */
const FAR = 4.3;

/** Stand for √Q and Q where effects are equal. */
const [LEAST_ROOT, LEAST_Q] = [1e-50, 1e-100];

/** Places of Gauss and Legendre's rule. */
const PLACES = 32;

/** A value of τ², by the mean there, and the standard deviation of a new effect; and how much it counts. */
interface Component {
  readonly mean: number;
  readonly spread: number;
  readonly share: number;
}

/** Ends of the interval: quantiles of normal effects, mixed over the confidence distribution of τ². */
export function newTask(studies: Studies, confidence: number): [number, number] {
  const components = mixture(studies);
  const tail = (1 - confidence) / 2;
  const turned = components.map((one) => ({ ...one, mean: -one.mean }));
  return [-upperEnd(turned, tail), upperEnd(components, tail)];
}

function mixture(studies: Studies): Component[] {
  const freedom = studies.effects.length - 1;
  const atZero = fitted(studies, 0);
  const q = spreadOf(atZero);
  const middle = Math.sqrt(freedom - 0.5);
  const high = Math.min(Math.sqrt(q), middle + FAR);
  const low = Math.min(Math.max(middle - FAR, 0), high);
  const rule = legendre(PLACES);
  const roots = rule.map(({ place }) => Math.max(low + (high - low) * place, LEAST_ROOT));
  const heights = roots.map((root, at) => Math.log(rule[at].weight) + (freedom - 1) * Math.log(root) - root ** 2 / 2);
  const highest = Math.max(...heights);
  const shares = heights.map((height) => Math.exp(height - highest));
  const whole = shares.reduce((sum, one) => sum + one, 0);
  const zero = chiSquaredTail(q, freedom);
  const squares = atZero.residuals.reduce((sum, one) => sum + one * one, 0);
  return [
    { mean: atZero.mean, spread: Math.sqrt(1 / atZero.total), share: zero },
    ...roots.map((root, at) => {
      const tau2 = whereQIs(studies, root ** 2, squares);
      const { mean, total } = fitted(studies, tau2);
      return { mean, spread: Math.sqrt(tau2 + 1 / total), share: (shares[at] * (1 - zero)) / whole };
    }),
  ];
}

/** τ² with Q(τ²) = target, by Newton's method on 1 / Q, which is nearly a line; `squares` are Σ (y − μ)² at τ² = 0. */
function whereQIs(studies: Studies, target: number, squares: number): number {
  const shortfall = (tau2: number): [number, number] => {
    const fit = fitted(studies, tau2);
    const q = Math.max(spreadOf(fit), LEAST_Q);
    const slope = fit.weights.reduce((sum, weight, at) => sum + (weight * fit.residuals[at]) ** 2, 0);
    return [1 / target - 1 / q, -slope / (q * q)];
  };
  return fallingRoot(shortfall, 0, squares / target, Math.min(...studies.variances));
}

/** The number that a new effect is above with the probability `tail`. */
function upperEnd(components: readonly Component[], tail: number): number {
  const reach = -normalQuantile(tail);
  const ends = components.map(({ mean, spread }) => mean + reach * spread);
  const first = Math.min(...ends);
  const beyond = (shift: number): [number, number] => {
    let [above, density] = [0, 0];
    for (const { mean, spread, share } of components) {
      const off = (mean - first - shift) / spread;
      above += share * normalCdf(off);
      density += (share * Math.exp((-off * off) / 2)) / spread;
    }
    above = Math.max(above, Number.MIN_VALUE);
    return [Math.log(above / tail), -density / Math.sqrt(2 * Math.PI) / above];
  };
  return first + fallingRoot(beyond, 0, Math.max(...ends) - first, components[0].spread);
}

/** Roots of Legendre's polynomial by Newton's method, between 0 and 1, and weights 2 / ((1 − x²) P′(x)²) for an integral. */
function legendre(number: number): { place: number; weight: number }[] {
  return Array.from({ length: number }, (_, index) => {
    let x = -Math.cos((Math.PI * (index + 0.75)) / (number + 0.5));
    let slope = 0;
    for (let step = 0; step < 10; step += 1) {
      let [before, now] = [1, x];
      for (let degree = 2; degree <= number; degree += 1)
        [before, now] = [now, ((2 * degree - 1) * x * now - (degree - 1) * before) / degree];
      slope = (number * (before - x * now)) / (1 - x * x);
      x -= now / slope;
    }
    return { place: (1 + x) / 2, weight: 1 / ((1 - x * x) * slope * slope) };
  });
}
