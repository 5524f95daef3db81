/** Where the effect on a new task is expected, over all that τ² may be, as `with_new_task` of Python has it. */

import { chiSquaredTail, normalCdf, normalQuantile } from './distribution';
import { fallingRoot, fitted, spreadOf, type Studies } from './heterogeneity';

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
