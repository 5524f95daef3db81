/** Normal and Student's distributions, to the last digits of `podium.base.distribution`. */

const ROOT_TWO_PI = Math.sqrt(2 * Math.PI);

/** Above, the series of the error function needs more terms than the continued fraction of its complement. */
const FAR = 2.5;

/** Steps of an iteration at most. */
const STEPS = 200;

/** Φ(x): the probability that a standard normal number is below x. */
export function normalCdf(x: number): number {
  return x > 0 ? 1 - upperTail(x) : upperTail(-x);
}

/** 1 − Φ(x) for x ≥ 0, with all digits also where it is small. */
function upperTail(x: number): number {
  if (x === Infinity) return 0;
  const density = Math.exp((-x * x) / 2) / ROOT_TWO_PI;
  return x < FAR ? 0.5 - density * centralSeries(x) : density * millsRatio(x);
}

/** (Φ(x) − ½) / φ(x) = x + x³/3 + x⁵/(3·5) + … */
function centralSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let odd = 3; term > sum * 1e-17; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return sum;
}

/** (1 − Φ(x)) / φ(x) = 1/(x + 1/(x + 2/(x + 3/…))), from the inside. */
function millsRatio(x: number): number {
  let inner = x;
  for (let depth = STEPS; depth > 0; depth -= 1) inner = x + depth / inner;
  return 1 / inner;
}

/** Φ⁻¹(p): by Newton's method on the logarithm of the tail; −∞ at 0 and ∞ at 1. */
export function normalQuantile(p: number): number {
  if (p <= 0 || p >= 1) return p <= 0 ? -Infinity : Infinity;
  const small = Math.min(p, 1 - p);
  let t = Math.sqrt(-2 * Math.log(2 * small)); // no nearer to 0 than the root, from where the steps go down
  for (let step = 0; step < STEPS; step += 1) {
    const tail = upperTail(t);
    const move = (tail / (Math.exp((-t * t) / 2) / ROOT_TWO_PI)) * Math.log(tail / small);
    t += move;
    if (Math.abs(move) <= 1e-15 * Math.max(t, 1e-300)) break;
  }
  return p < 0.5 ? -t : t;
}

/** T(−t) for t ≥ 0: the probability that a number of Student's distribution is below −t. */
export function studentTail(t: number, freedom: number): number {
  if (t === Infinity) return 0;
  const [a, x, y] = [freedom / 2, 1 / (1 + (t * t) / freedom), 1 / (1 + freedom / (t * t))];
  const mass = (t / 2) * studentDensity(t, freedom);
  // each fraction where it needs fewer steps
  return x > (a + 1) / (a + 2.5) ? 0.5 - mass / betaFraction(0.5, a, y, x) : mass / betaFraction(a, 0.5, x, y);
}

/** The density at t, Γ((ν + 1)/2) / Γ(ν/2) / √(νπ) (1 + t²/ν)^(−(ν + 1)/2). */
function studentDensity(t: number, freedom: number): number {
  const falls = Math.exp((-(freedom + 1) / 2) * Math.log1p((t * t) / freedom));
  return (gammaRatio(freedom / 2) / Math.sqrt(freedom * Math.PI)) * falls;
}

/** Γ(a + ½) / Γ(a): from large a down, where its logarithm is ½ log w − Σ 2 Eₖ / (k 4ᵏ⁺¹ wᵏ), w = a − ¼, with Euler's numbers. */
function gammaRatio(a: number): number {
  let [up, factor] = [a, 1];
  for (; up < 16; up += 1) factor *= up / (up + 0.5);
  const w = up - 0.25;
  const square = 1 / (w * w);
  const series = square * (1 / 64 - square * (5 / 2048 - square * (61 / 49152 - (square * 1385) / 1048576)));
  return factor * Math.sqrt(w) * Math.exp(series);
}

/** xᵃ yᵇ / (B(a, b) I_x(a, b)), y = 1 − x: a continued fraction (Didonato & Morris 1992), by Lentz's method. */
function betaFraction(a: number, b: number, x: number, y: number): number {
  const away = a * y - b * x + 1;
  let found = (a * away) / (a + 1);
  let [above, below] = [found, 0];
  for (let step = 1; step < STEPS; step += 1) {
    const place = a + 2 * step - 1;
    const product = (step * (b - step) * x) / place;
    const top = ((a + step - 1) * (a + b + step - 1) * x * product) / place;
    const bottom = step + product + ((a + step) * (away + step * (1 + y))) / (place + 2);
    above = bottom + top / above;
    below = 1 / (bottom + top * below);
    const change = above * below;
    found *= change;
    if (Math.abs(change - 1) <= 1e-15) break;
  }
  return found;
}

/** T⁻¹(p) for p up to ½, by Newton's method on log T(−t) over log t, which is nearly a line where tails are long. */
export function studentQuantile(p: number, freedom: number): number {
  if (p === 0.5) return 0;
  let t = -normalQuantile(p);
  for (let step = 0; step < STEPS; step += 1) {
    const tail = studentTail(t, freedom);
    const move = (tail / studentDensity(t, freedom)) * Math.log(tail / p);
    t *= Math.exp(move / t);
    if (Math.abs(move) <= 1e-15 * t) break;
  }
  return -t;
}

/** The probability that χ² of whole degrees of freedom is above x: sums of positive terms, each from the one before. */
export function chiSquaredTail(x: number, freedom: number): number {
  if (!(x > 0)) return 1;
  const odd = freedom % 2 === 1;
  let tail = odd ? 2 * upperTail(Math.sqrt(x)) : 0;
  // terms are e^(−x/2) (x/2)^a / Γ(a + 1), by their logarithms, as the first may be too small for a number
  let log = odd ? Math.log(Math.sqrt((2 * x) / Math.PI)) - x / 2 : -x / 2;
  for (let a = odd ? 0.5 : 0; a < freedom / 2; a += 1) {
    tail += Math.exp(log);
    log += Math.log(x / 2 / (a + 1));
  }
  return Math.min(tail, 1);
}
