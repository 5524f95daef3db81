/** How much true effects differ between tasks: REML's estimate of their variance τ², as `podium.comparison` has it. */

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
