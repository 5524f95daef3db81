/** How much better one system is than another on these tasks, for other instances of them, as `podium.comparison.suite`. */

import { normalCdf, normalQuantile, studentQuantile, studentTail } from './distribution';
import { FEW_UNITS, FLIPPED_UNITS } from './few';
import { type PairedTask, rowOf } from './paired';
import { flipP } from './task-tests';

/** Tasks that are drawn together, by index, and how many units they have. */
export interface UnitGroup {
  readonly tasks: readonly number[];
  readonly number: number;
}

export interface SuiteTask extends PairedTask {
  readonly weight: number;
  /** The unit of each instance in the group of the task; null where each is one. */
  readonly units: Int32Array | null;
}

/** Numbers that do not exist are NaN. */
export interface Suite {
  readonly effect: number;
  readonly low: number;
  readonly high: number;
  readonly p: number;
  /** Degrees of freedom. */
  readonly freedom: number;
  readonly tasks: number;
  readonly n: number;
  readonly units: number;
  readonly better: number;
  readonly worse: number;
  /** Share of instances that are better, less the share that are worse. */
  readonly balance: number;
  /** The smallest difference that such a comparison finds in `POWER` of cases. */
  readonly smallest: number;
  readonly binary: boolean;
}

export const POWER = 0.8;

/** Degrees of freedom below which there is no interval. */
const LEAST_FREEDOM = 5;

/** A variance of this share of what it would be by size is rounding. */
const NOTHING = 1e-24;

/** Halvings of the interval in which an end is looked for. */
const STEPS = 60;

/** What two systems have in common on a task; differences are positive where the treatment is better. */
interface Part {
  readonly weight: number;
  readonly differences: readonly number[];
  readonly weights: readonly number[];
  readonly unit: readonly number[];
  readonly mean: number;
  readonly size: number;
  /** Whether all of its scores are 0 or of one size. */
  readonly binary: boolean;
}

export function suiteEffect(
  tasks: readonly SuiteTask[],
  groups: readonly UnitGroup[],
  [control, treatment]: readonly [number, number],
  confidence: number,
): Suite {
  const rows = tasks.map((task) => [rowOf(task, control), rowOf(task, treatment)] as const);
  const scale = largest(rows.flat()) || 1;
  const parts = tasks.map((task, at) => partOf(task, rows[at], scale));
  const there = parts.filter((part) => part !== null);
  const whole = sum(there.map(({ weight }) => weight));
  const shares = there.map(({ weight }) => weight / whole);
  const overTasks = (of: (part: Part) => number): number => sum(there.map((part, at) => shares[at] * of(part)));
  const counted = (side: number): number =>
    sum(there.map(({ differences }) => differences.filter((one) => Math.sign(one) === side).length));
  const isBinary = there.every(({ binary }) => binary);
  const spread = spreadOf(parts, groups, whole);
  const facts = {
    effect: there.length > 0 ? overTasks(({ mean }) => mean) * scale : NaN,
    freedom: spread.freedom,
    tasks: there.length,
    n: sum(there.map(({ differences }) => differences.length)),
    units: spread.paired,
    better: counted(1),
    worse: counted(-1),
    balance: overTasks(({ differences, weights }) => sum(differences.map((one, at) => weights[at] * Math.sign(one)))),
    binary: isBinary && scale === 1,
  };
  if (!(spread.freedom >= LEAST_FREEDOM)) return { ...facts, low: NaN, high: NaN, p: NaN, smallest: NaN };
  const effect = facts.effect / scale;
  const tail = (1 - confidence) / 2;
  const plain = tasks.every(({ weights }, at) => parts[at] === null || weights === null);
  let found = isBinary && plain ? scoreTest(effect, there, shares, spread, tail) : student(effect, spread, tail);
  if (spread.paired <= FLIPPED_UNITS || facts.better + facts.worse <= FEW_UNITS)
    found = flipped(found, effect, flipP(spread.added), 2 * tail);
  const reach = studentQuantile(tail, spread.freedom) + studentQuantile(1 - POWER, spread.freedom);
  return {
    ...facts,
    low: found.low * scale,
    high: found.high * scale,
    p: Math.min(found.p, 1),
    smallest: -reach * found.error * scale,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const isPair = (one: number, other: number): boolean => !Number.isNaN(one) && !Number.isNaN(other);

function largest(rows: readonly Float64Array[]): number {
  return rows.reduce(
    (most, row) => row.reduce((found, one) => (Math.abs(one) > found ? Math.abs(one) : found), most),
    0,
  );
}

function partOf(task: SuiteTask, [old, other]: readonly [Float64Array, Float64Array], scale: number): Part | null {
  const sign = (task.higherIsBetter ? 1 : -1) / scale;
  const places = Array.from(old.keys()).filter(
    (at) => isPair(old[at], other[at]) && (task.weights === null || task.weights[at] > 0),
  );
  if (places.length === 0 || !(task.weight > 0)) return null;
  const mass = sum(places.map((at) => task.weights?.[at] ?? 1));
  const weights = places.map((at) => (task.weights?.[at] ?? 1) / mass);
  const mean = (values: readonly number[]): number => sum(values.map((value, at) => weights[at] * value));
  const within = (row: Float64Array): number => {
    const values = places.map((at) => sign * row[at]);
    const middle = mean(values);
    return mean(values.map((value) => (value - middle) ** 2));
  };
  const differences = places.map((at) => sign * other[at] - sign * old[at]);
  const average = mean(differences);
  return {
    weight: task.weight,
    differences,
    weights,
    unit: places.map((at) => task.units?.[at] ?? at),
    mean: average,
    size: Math.sqrt(Math.max(within(old) + within(other), average ** 2)),
    binary: places.every((at) => [old[at], other[at]].every((score) => score === 0 || Math.abs(score) === scale)),
  };
}

/** Error of the judgement that differences on tasks with numbered instances go together. */
const ERROR = 0.05;

/** Whether differences on tasks go together, so that instances with the same number are the same, see `go_together`. */
export function goTogether(
  tasks: readonly (Omit<SuiteTask, 'weight'> & { readonly limited: boolean })[],
  [control, treatment]: readonly [number, number],
): boolean {
  const moved = tasks.map((task) => {
    const part = partOf({ ...task, weight: 1 }, [rowOf(task, control), rowOf(task, treatment)], 1);
    const units = new Map<number, number>();
    part?.unit.forEach((unit, at) => add(units, unit, part.weights[at] * (part.differences[at] - part.mean)));
    return { n: part?.unit.length ?? 0, units, length: task.limited ? Infinity : Math.sqrt(squared(units)) };
  });
  const pairs = moved.flatMap((one, at) =>
    moved.slice(at + 1).map((other) => {
      const product = sum([...one.units].map(([unit, value]) => value * (other.units.get(unit) ?? 0)));
      return { found: product / (one.length * other.length) || 0, variance: 1 / Math.max(one.n, other.n, 1) };
    }),
  );
  const most = -normalQuantile(ERROR / pairs.length);
  const whole = -normalQuantile(ERROR) * Math.sqrt(sum(pairs.map(({ variance }) => variance)));
  return (
    sum(pairs.map(({ found }) => found)) > whole || pairs.some((one) => one.found > most * Math.sqrt(one.variance))
  );
}

/** The variance of a mean over tasks by the units that are drawn, and how well it is known. */
interface Spread {
  readonly variance: number;
  readonly freedom: number;
  /** Units that both systems have. */
  readonly paired: number;
  /** What of the variance is of tasks of one unit, which are drawn among each other. */
  readonly collapsed: number;
  /** Whether units are more than single instances of one task. */
  readonly related: boolean;
  /** What each unit adds to the mean. */
  readonly added: readonly number[];
}

function spreadOf(parts: readonly (Part | null)[], groups: readonly UnitGroup[], whole: number): Spread {
  const single: { share: number; adds: number }[] = [];
  const ofGroups: { variance: number; squares: number }[] = [];
  const added: number[] = [];
  let [units, related] = [0, false];
  for (const group of groups) {
    const own = new Map<number, number>();
    const varying: Varying[] = [];
    for (const task of group.tasks) {
      const part = parts[task];
      if (part === null) continue;
      const share = part.weight / whole;
      const mass = new Map<number, number>();
      part.unit.forEach((unit, at) => {
        add(mass, unit, part.weights[at]);
        add(own, unit, share * part.weights[at] * part.differences[at]);
      });
      related ||= mass.size < part.unit.length;
      const effective = 1 / sum([...mass.values()].map((one) => one ** 2));
      if (effective < 1 + 1e-9) single.push({ share, adds: share * part.mean });
      else varying.push(varyingOf(part, share, effective));
    }
    units += group.number;
    related ||= varying.length > 1;
    if (varying.length > 0) ofGroups.push(together(varying, group.number));
    added.push(...own.values());
  }
  const { variance: collapsed, freedom } = collapsedOf(single);
  if (collapsed > 0) ofGroups.push({ variance: collapsed, squares: collapsed ** 2 / freedom });
  const variance = sum(ofGroups.map((one) => one.variance));
  const squares = sum(ofGroups.map((one) => one.squares));
  const known = squares > 0 ? variance ** 2 / squares : ofGroups.length > 0 ? units - 1 : 0;
  return { variance, freedom: single.length === 1 ? 0 : known, paired: added.length, collapsed, related, added };
}

function add(to: Map<number, number>, unit: number, value: number): void {
  to.set(unit, (to.get(unit) ?? 0) + value);
}

/** By how much each unit of a task moves the mean; the standard deviation that the task adds, and how well it is known. */
interface Varying {
  readonly moved: ReadonlyMap<number, number>;
  /** The variance of the task if all differences are the same, otherwise 0. */
  readonly constant: number;
  readonly deviation: number;
  readonly freedom: number;
}

function varyingOf({ differences, weights, unit, mean, size }: Part, share: number, effective: number): Varying {
  const freedom = effective - 1;
  const moved = new Map<number, number>();
  const factor = share * Math.sqrt(effective / freedom);
  unit.forEach((one, at) => add(moved, one, factor * weights[at] * (differences[at] - mean)));
  const variance = squared(moved);
  if (variance > NOTHING * (share * size) ** 2) return { moved, constant: 0, deviation: Math.sqrt(variance), freedom };
  const deviation = (share * size) / effective;
  return { moved: new Map(), constant: deviation ** 2, deviation, freedom };
}

const squared = (moved: ReadonlyMap<number, number>): number => sum([...moved.values()].map((one) => one ** 2));

/** Degrees of freedom go as if tasks that share units went together, and added their standard deviations. */
function together(tasks: readonly Varying[], units: number): { variance: number; squares: number } {
  const moved = new Map<number, number>();
  for (const task of tasks) for (const [unit, value] of task.moved) add(moved, unit, value);
  const deviation = sum(tasks.map((task) => task.deviation));
  const byFreedom = sum(tasks.map((task) => task.deviation / task.freedom));
  const variance = tasks.length > 1 ? squared(moved) + sum(tasks.map(({ constant }) => constant)) : deviation ** 2;
  const rate = deviation > 0 ? byFreedom / deviation : 1 / Math.max(units - 1, 1);
  return { variance, squares: variance ** 2 * rate };
}

/** The variance that tasks of one unit add, and its degrees of freedom. */
function collapsedOf(single: readonly { share: number; adds: number }[]): { variance: number; freedom: number } {
  if (single.length < 2) return { variance: 0, freedom: 1 };
  const mass = sum(single.map(({ share }) => share));
  const all = sum(single.map(({ adds }) => adds));
  const freedom = mass ** 2 / sum(single.map(({ share }) => share ** 2)) - 1;
  const squares = sum(single.map(({ share, adds }) => (adds - (share / mass) * all) ** 2));
  return { variance: (squares * (freedom + 1)) / freedom, freedom };
}

/** An interval, the p-value of no difference, and the standard error that the width amounts to. */
interface Tested {
  readonly low: number;
  readonly high: number;
  readonly p: number;
  readonly error: number;
}

function student(effect: number, { variance, freedom }: Spread, tail: number): Tested {
  const error = Math.sqrt(variance);
  const reach = -studentQuantile(tail, freedom) * error;
  const p = error > 0 ? 2 * studentTail(Math.abs(effect) / error, freedom) : 1;
  return { low: effect - reach, high: effect + reach, p, error };
}

/** The score test of 0/1 scores that the differences are δ on every task (Tango 1998, summed over tasks). */
function scoreTest(
  effect: number,
  parts: readonly Part[],
  shares: readonly number[],
  spread: Spread,
  tail: number,
): Tested {
  const counts = parts.map(({ differences }, at) => ({
    share: shares[at] ** 2,
    n: differences.length,
    b: differences.filter((one) => one > 0).length,
    c: differences.filter((one) => one < 0).length,
  }));
  const alone = counts.map(({ share, n, b, c }) =>
    n > 1 ? (share * ((b + c) / n - ((b - c) / n) ** 2)) / (n - 1) : 0,
  );
  const independent = sum(alone);
  const all = sum(counts.map(({ n }) => n));
  const widened = independent > 0 ? (spread.variance - spread.collapsed) / independent : all / spread.paired;
  const factor = spread.related ? Math.max(widened, 1) : 1;
  const variance = (difference: number): number => {
    const own = counts.map(({ share, n, b, c }) => {
      const half = -b - c + (2 * n - b + c) * difference;
      const root = Math.sqrt(Math.max(half ** 2 + 8 * n * c * difference * (1 - difference), 0));
      const other = Math.max((root - half) / (4 * n), 0);
      return (share * Math.max(2 * other + difference * (1 - difference), 0)) / n;
    });
    return factor * sum(own) + spread.collapsed;
  };
  const t = -(spread.related ? studentQuantile(tail, spread.freedom) : normalQuantile(tail));
  const end = (from: number, to: number): number => {
    for (let step = 0; step < STEPS; step += 1) {
      const middle = (from + to) / 2;
      if ((effect - middle) ** 2 <= t ** 2 * variance(middle)) from = middle;
      else to = middle;
    }
    return from;
  };
  const [low, high] = [end(effect, -1), end(effect, 1)];
  const far = Math.abs(effect) / Math.sqrt(variance(0));
  const p = variance(0) > 0 ? 2 * (spread.related ? studentTail(far, spread.freedom) : normalCdf(-far)) : 1;
  return { low, high, p, error: Math.max((high - low) / 2 / t, Math.sqrt(spread.variance)) };
}

/** Take the p-value of flips, and an interval that holds 0 if and only if it is above α. */
function flipped(test: Tested, effect: number, p: number, alpha: number): Tested {
  if (p > alpha) return { ...test, low: Math.min(test.low, 0), high: Math.max(test.high, 0), p };
  const least = 2 ** -1022;
  return effect > 0
    ? { ...test, low: Math.max(test.low, least), p }
    : { ...test, high: Math.min(test.high, -least), p };
}
