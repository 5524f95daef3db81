/** The p-value of one sum whose terms might as well have the other sign, as `podium.base.statistics.flip_p_value`. */

import { normalCdf } from './distribution';
import { signTest } from './task-tests';

/** Up to so many terms, signs are flipped in all ways. */
const COUNTED = 14;

/** Steps to the saddlepoint at most. */
const STEPS = 50;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The share of all ways to set signs whose sum is as far from 0 (Fisher 1935). */
export function flipP(added: readonly number[]): number {
  const most = added.reduce((largest, one) => Math.max(largest, Math.abs(one)), 0);
  const moved = added.filter((one) => Math.abs(one) > 1e-12 * most).map((one) => one / most);
  if (moved.length === 0) return 1;
  if (moved.every((one) => Math.abs(one) >= 1 - 1e-9)) {
    const wins = moved.filter((one) => one > 0).length;
    return signTest(wins, moved.length - wins);
  }
  return moved.length <= COUNTED ? counted(moved) : approximated(moved.filter((one) => Math.abs(one) >= 1e-9));
}

function counted(moved: readonly number[]): number {
  const least = Math.abs(sum(moved)) - 1e-12 * sum(moved.map(Math.abs));
  const ways = 2 ** (moved.length - 1);
  let far = 0;
  for (let way = 0; way < ways; way += 1) {
    const flipped = moved.reduce((all, one, at) => all + ((way >> at) & 1 ? -one : one), 0);
    if (Math.abs(flipped) >= least) far += 1;
  }
  return far / ways;
}

/** By the saddlepoint (Robinson 1982; Lugannani & Rice 1980), half a step of the sum nearer to 0. */
function approximated(moved: readonly number[]): number {
  const size = moved.map(Math.abs);
  const whole = sum(size);
  const signed = Math.abs(sum(moved));
  const least = 2 ** (1 - size.length);
  if (signed >= whole * (1 - 1e-9)) return least;
  const reach = signed - Math.min(...size);
  return reach > 1e-9 * whole ? Math.min(Math.max(2 * tail(size, reach), least), 1) : 1;
}

/** Probability that Σ ± size is at least `reach`, for K(θ) = Σ log cosh(θ size). */
function tail(size: readonly number[], reach: number): number {
  const theta = saddlepoint(size, reach);
  const cumulant = sum(size.map((one) => theta * one + Math.log1p(Math.exp(-2 * theta * one)) - Math.LN2));
  const curvature = sum(size.map((one) => one ** 2 * (1 - Math.tanh(theta * one) ** 2)));
  const root = Math.sqrt(Math.max(2 * (theta * reach - cumulant), 0));
  const density = Math.exp(-(root ** 2) / 2) / Math.sqrt(2 * Math.PI);
  const corrected = normalCdf(-root) + density * (1 / (theta * Math.sqrt(curvature)) - 1 / root);
  // nearer, the formula is the difference of two large numbers, and the normal tail right
  return root > 0.05 && Number.isFinite(corrected)
    ? corrected
    : normalCdf(-reach / Math.sqrt(sum(size.map((one) => one ** 2))));
}

/** θ where Σ size tanh(θ size) = reach: Newton's steps, kept between bounds. */
function saddlepoint(size: readonly number[], reach: number): number {
  let theta = reach / sum(size.map((one) => one ** 2));
  let [low, high] = [0, Infinity];
  for (let step = 0; step < STEPS; step += 1) {
    const bent = size.map((one) => Math.tanh(theta * one));
    const over = sum(bent.map((one, at) => size[at] * one)) - reach;
    if (over < 0) low = theta;
    else high = theta;
    const newton = theta - over / sum(bent.map((one, at) => size[at] ** 2 * (1 - one ** 2)));
    const following = newton > low && newton < high ? newton : high === Infinity ? 2 * theta : (low + high) / 2;
    const done = Math.abs(following - theta) <= 1e-9 * theta;
    theta = following;
    if (done) break;
  }
  return theta;
}
