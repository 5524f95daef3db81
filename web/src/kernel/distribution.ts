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

/** Places and weights of the double exponential rule on (0, ∞) (Takahasi & Mori 1974). */
const NODES = Array.from({ length: 184 }, (_, index) => {
  const step = 1 / 24;
  const x = step * (index - 92);
  const place = Math.exp((Math.PI / 2) * Math.sinh(x));
  return { place, weight: step * (Math.PI / 2) * Math.cosh(x) * place };
});

/** ∫ (1 + u²/ν)^(−(ν + 1)/2) du from t ≥ 0 to ∞. */
function studentIntegral(t: number, freedom: number): number {
  const power = -(freedom + 1) / 2;
  const scale = 1 / (1 / (1 + t) + ((freedom + 1) * t) / (freedom + t * t)); // far out it decays as slowly as t grows
  let sum = 0;
  for (const { place, weight } of NODES) {
    const u = t + scale * place;
    sum += weight * Math.exp(power * Math.log1p((u * u) / freedom));
  }
  return sum * scale;
}

/** T(−t) for t ≥ 0: the probability that a number of Student's distribution is below −t. */
export function studentTail(t: number, freedom: number): number {
  return t === Infinity ? 0 : studentIntegral(t, freedom) / (2 * half(freedom));
}

let known = { freedom: NaN, half: NaN };

function half(freedom: number): number {
  if (known.freedom !== freedom) known = { freedom, half: studentIntegral(0, freedom) };
  return known.half;
}

/** T⁻¹(p) for p up to ½, by Newton's method on log T(−t) over log t, which is nearly a line where tails are long. */
export function studentQuantile(p: number, freedom: number): number {
  if (p === 0.5) return 0;
  const whole = half(freedom);
  let t = -normalQuantile(p);
  for (let step = 0; step < STEPS; step += 1) {
    const tail = studentIntegral(t, freedom);
    const density = Math.exp((-(freedom + 1) / 2) * Math.log1p((t * t) / freedom));
    const move = (tail / density) * Math.log(tail / (2 * p * whole));
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
