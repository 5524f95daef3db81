/** Paired tests over tasks, as `podium.compare_task_scores` makes them; and flips of signs, as `podium.base.statistics`. */

import { normalCdf, studentQuantile, studentTail } from './distribution';
import { places } from './place';

export interface TaskTable {
  readonly systems: number;
  /** Row-major systems × tasks, as given; NaN where missing. */
  readonly means: Float64Array;
  readonly higherIsBetter: readonly boolean[];
  /** Tasks of weight 0 are left out. */
  readonly weights: readonly number[];
  /** Up to where scores are equal: a share of their size, and a tie. */
  readonly rounding: number;
  readonly reach: number;
  /** The number of the family of each task; tests count each once, by the mean of its differences. */
  readonly families: readonly number[];
}

export interface TaskTests {
  /** The tasks that score both, and how much better the treatment is there. */
  readonly tasks: readonly number[];
  readonly differences: Float64Array;
  /** Families. */
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  readonly signP: number;
  readonly rankSum: number;
  readonly wilcoxonP: number;
  /** Mean difference with Student's paired interval; NaN where tasks have no common scale, or nothing varies. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly tP: number;
}

/** Differences up to which the distribution of the rank sum is counted; above, it is as good as normal. */
const COUNTED = 500;

/** Differences whose squares can be added. */
const HUGE = 1e150;

/** Test a treatment against a control; without one scale of all tasks, see `commonScale`, nothing is added over them. */
export function taskTests(
  table: TaskTable,
  [control, treatment]: readonly [number, number],
  confidence: number,
  oneScale: boolean,
): TaskTests {
  const { means, higherIsBetter, rounding } = table;
  const score = (system: number, task: number): number => means[system * higherIsBetter.length + task];
  const tasks = keptTasks(table).filter((task) => !Number.isNaN(score(control, task) + score(treatment, task)));
  const differences = Float64Array.from(tasks, (task) => {
    const sign = higherIsBetter[task] ? 1 : -1;
    return sign * score(treatment, task) - sign * score(control, task) + 0;
  });
  const off = Float64Array.from(
    tasks,
    (task) => rounding * Math.max(Math.abs(score(control, task)), Math.abs(score(treatment, task))),
  );
  const families = tasks.map((task) => table.families[task]);
  const roundings = meansBy(families, off);
  const equal = (one: number, at: number): boolean => Math.abs(one) <= Math.max(off[at], table.reach);
  const counted = meansBy(
    families,
    differences.map((one, at) => (equal(one, at) ? 0 : one)),
  ).map((one, at) => (Math.abs(one) <= roundings[at] ? 0 : one));
  const wins = counted.filter((one) => one > 0).length;
  const losses = counted.filter((one) => one < 0).length;
  return {
    tasks,
    differences,
    wins,
    ties: counted.length - wins - losses,
    losses,
    signP: signTest(wins, losses),
    ...wilcoxon(counted, roundings),
    ...student(meansBy(families, differences), Math.max(...roundings, 0), oneScale ? confidence : NaN),
  };
}

/** The mean in each family; in the order of tasks if each is one, otherwise in that of families. */
function meansBy(families: readonly number[], values: Float64Array): Float64Array {
  const all = [...new Set(families)].sort((one, other) => one - other);
  if (all.length === families.length) return values;
  const sums = new Map(all.map((family) => [family, { sum: 0, number: 0 }]));
  families.forEach((family, at) => {
    const own = sums.get(family);
    if (own !== undefined) [own.sum, own.number] = [own.sum + values[at], own.number + 1];
  });
  return Float64Array.from(sums.values(), ({ sum, number }) => sum / number);
}

function keptTasks({ weights }: TaskTable): number[] {
  return Array.from(weights.keys()).filter((task) => weights[task] > 0);
}

/** 1 if scores of all tasks are shares, 100 if they are percent; NaN where they may differ in scale. */
export function commonScale(table: TaskTable): number {
  const tasks = keptTasks(table);
  const width = table.higherIsBetter.length;
  const columns = tasks.map((task) =>
    Array.from({ length: table.systems }, (_, system) => table.means[system * width + task]).filter(
      (score) => !Number.isNaN(score),
    ),
  );
  if (new Set(tasks.map((task) => table.higherIsBetter[task])).size > 1) return NaN;
  if (columns.some((column) => column.length > 0 && Math.max(...column) < 0)) return NaN;
  const largest = columns.map((column) => Math.max(...column.map(Math.abs), 0)).filter((most) => most > 0);
  if (largest.length === 0) return NaN;
  if (largest.every((most) => most <= 1)) return 1;
  return largest.every((most) => most > 1 && most <= 100) ? 100 : NaN;
}

/** Exact two-sided p-value that either side is as likely to win: 2 P(X ≤ min) of b + c draws of ½. */
export function signTest(wins: number, losses: number): number {
  const [fewer, all] = [Math.min(wins, losses), wins + losses];
  if (2 * fewer === all) return 1;
  let term = 1; // C(all, fewer) / 2^all, halved in between, so that it stays a number
  let halves = all;
  for (let draw = 1; draw <= fewer; draw += 1) {
    term *= (all - fewer + draw) / draw;
    for (; term > 1 && halves > 0; halves -= 1) term /= 2;
  }
  term *= 2 ** -halves;
  let tail = 0;
  for (let count = fewer; count >= 0; count -= 1) {
    tail += term;
    term *= count / (all - count + 1);
  }
  return Math.min(2 * tail, 1);
}

/** Rank sum of the positive differences, and the exact two-sided p-value that all are symmetric around 0. */
function wilcoxon(differences: Float64Array, off: Float64Array): { rankSum: number; wilcoxonP: number } {
  const there = Array.from(differences.keys()).filter((at) => Math.abs(differences[at]) > off[at]);
  const sizes = Float64Array.from(there, (at) => -Math.abs(differences[at]));
  const doubled = doubledMidranks(
    places(
      sizes,
      Float64Array.from(there, (at) => off[at]),
    ),
  );
  const total = doubled.reduce((sum, rank) => sum + rank, 0);
  const positive = doubled.reduce((sum, rank, at) => sum + (differences[there[at]] > 0 ? rank : 0), 0);
  const fewer = Math.min(positive, total - positive);
  const wilcoxonP = 2 * fewer === total ? 1 : Math.min(2 * rankSumTail(doubled, fewer, total), 1);
  return { rankSum: positive / 2, wilcoxonP };
}

/** Twice the mean of the ranks that equals take, from dense places. */
function doubledMidranks(place: Int32Array): number[] {
  const sizes: number[] = [];
  for (const at of place) sizes[at] = (sizes[at] ?? 0) + 1;
  let before = 0;
  const ranks = sizes.map((size) => {
    before += size;
    return 2 * before - size + 1;
  });
  return Array.from(place, (at) => ranks[at]);
}

/** Probability that the sum of whole numbers, each taken or left with probability ½, is at most `reach`. */
function rankSumTail(doubled: readonly number[], reach: number, total: number): number {
  if (doubled.length > COUNTED) {
    const step = doubled.reduce(divisor); // between two possible sums
    const squares = doubled.reduce((sum, rank) => sum + rank * rank, 0);
    return normalCdf((reach + step / 2 - total / 2) / Math.sqrt(squares / 4));
  }
  const chance = new Float64Array(reach + 1);
  chance[0] = 1;
  let most = 0;
  for (const number of doubled) {
    most = Math.min(most + number, reach);
    for (let sum = most; sum >= 0; sum -= 1)
      chance[sum] = (chance[sum] + (sum >= number ? chance[sum - number] : 0)) / 2;
  }
  return chance.reduce((sum, one) => sum + one, 0);
}

function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}

type Student = Pick<TaskTests, 'mean' | 'low' | 'high' | 'tP'>;

/** Student's paired test; without a confidence there is no common scale, and nothing is added over tasks. */
function student(differences: Float64Array, off: number, confidence: number): Student {
  const nothing: Student = { mean: NaN, low: NaN, high: NaN, tP: NaN };
  const n = differences.length;
  const largest = differences.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  if (Number.isNaN(confidence) || !(largest * n < HUGE)) return nothing;
  const mean = differences.reduce((sum, one) => sum + one, 0) / n;
  const deviation = Math.sqrt(differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1));
  if (!(deviation > off)) return { ...nothing, mean };
  const error = deviation / Math.sqrt(n);
  const reach = -studentQuantile((1 - confidence) / 2, n - 1) * error;
  return { mean, low: mean - reach, high: mean + reach, tP: 2 * studentTail(Math.abs(mean) / error, n - 1) };
}

/** Up to so many terms, signs are flipped in all ways. */
const FLIPPED = 14;

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
  return moved.length <= FLIPPED ? countedFlips(moved) : approximated(moved.filter((one) => Math.abs(one) >= 1e-9));
}

function countedFlips(moved: readonly number[]): number {
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
