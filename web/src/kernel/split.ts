/** Instances in order of difficulty, where splits end in it, and what these weigh, as `podium.customization.split`. */

import { firstAbove } from './order';

export interface Splitting {
  /** As many instances in each, as wide ranges, at thresholds, at random, or by a column that names them. */
  readonly by: 'equal' | 'width' | 'thresholds' | 'random' | 'manual';
  readonly count: number;
  /** Of difficulty, increasing; none but by thresholds. */
  readonly marks: readonly number[];
  /** Whether instances of one difficulty are shared by the splits on both sides, or stay in order. */
  readonly ties: 'share' | 'order';
  /** Split those of each task, or of all tasks together. */
  readonly level: 'one' | 'two';
}

/** Knots closer than this to a whole number differ from it by rounding only. */
const SAME = 1e-9;

/** K instances in G groups of equal difficulty; a knot is a place between them in units of groups. */
export interface Order {
  /** Instances in order. */
  readonly permutation: Int32Array;
  /** How many instances lie before each knot 0 … G. */
  readonly ends: Int32Array;
  /** What the groups are ordered by, increasing. */
  readonly values: Float64Array;
}

/** Sort by keys, increasing where `rising`; equal keys are one group if ties are shared. */
export function orderOf(keys: Float64Array, rising: boolean, shareTies: boolean): Order {
  const sign = rising ? 1 : -1;
  const permutation = Int32Array.from(keys.keys()).sort(
    (one, other) => sign * (keys[one] - keys[other]) || one - other,
  );
  const ends = [0];
  permutation.forEach((instance, place) => {
    const last = place + 1 === permutation.length;
    if (last || !shareTies || keys[permutation[place + 1]] !== keys[instance]) ends.push(place + 1);
  });
  const values = Float64Array.from(ends.slice(0, -1), (first) => keys[permutation[first]]);
  return { permutation, ends: Int32Array.from(ends), values: rising ? values : values.reverse() };
}

/** Weight of the instances before each knot, given the weight of each in order. */
export function massAlong({ ends }: Order, weights: Float64Array): Float64Array {
  const mass = new Float64Array(ends.length);
  let sum = 0;
  for (let group = 1; group < ends.length; group += 1) {
    for (let at = ends[group - 1]; at < ends[group]; at += 1) sum += weights[at];
    mass[group] = sum;
  }
  return mass;
}

/** Ends of splits: knots; or weights of the instances before each end, where `whole` is that of all of them. */
export interface Cuts {
  readonly places: Float64Array;
  readonly whole: number;
}

/** Find where splits end. `values` are of the groups, increasing, and `span` the least and the greatest. */
export function cut(splitting: Splitting, order: Order, rising: boolean, span: readonly [number, number]): Cuts {
  const { by, count } = splitting;
  const size = order.permutation.length;
  if (by === 'equal' || by === 'random') return { places: equalCounts(size, count), whole: size };
  if (by === 'manual') {
    // of a column the values are the numbers of splits
    const below = Array.from({ length: count + 1 }, (_, split) => firstAbove(order.values, split - 1));
    return { places: Float64Array.from(below), whole: 0 };
  }
  const marks = by === 'width' ? betweenEqualWidths(span, count) : splitting.marks;
  const groups = order.values.length;
  const inner = marks.map((mark) => firstAbove(order.values, mark));
  const knots = rising ? inner : inner.map((below) => groups - below).reverse();
  return { places: Float64Array.of(0, ...knots, groups), whole: 0 };
}

/** Between ranges of equal width, as NumPy’s linspace. */
export function betweenEqualWidths([low, high]: readonly [number, number], count: number): number[] {
  const step = (high - low) / count;
  return Array.from({ length: count - 1 }, (_, index) => low + (index + 1) * step);
}

/** How many instances lie before the ends of equal splits; the first get one more. */
function equalCounts(size: number, splits: number): Float64Array {
  const least = Math.floor(size / splits);
  return Float64Array.from({ length: splits + 1 }, (_, number) => least * number + Math.min(number, size % splits));
}

/** Ends of splits of which none has an instance. */
export function emptyCuts(count: number): Cuts {
  return { places: new Float64Array(count + 1), whole: 0 };
}

/** Whether each split must have an instance. */
export function mustBeFilled({ by }: Splitting): boolean {
  return by === 'equal' || by === 'random';
}

/** The knots at which splits end, if the instances before each knot weigh `mass`; near a whole number it is one. */
export function knotsOf({ places, whole }: Cuts, mass: Float64Array, snapped: boolean): Float64Array {
  if (whole === 0) return places;
  const groups = mass.length - 1;
  const knots = places.map((place) =>
    knotAt(mass, snapped ? place * (mass[groups] / whole) : (place / whole) * mass[groups]),
  );
  if (snapped)
    knots.forEach((knot, at) => (knots[at] = Math.abs(knot - Math.round(knot)) < SAME ? Math.round(knot) : knot));
  knots[0] = 0;
  knots[knots.length - 1] = groups;
  return knots;
}

/** The knot before which instances of a weight lie. */
function knotAt(mass: Float64Array, wanted: number): number {
  let low = 0;
  let high = mass.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (mass[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return 0;
  const width = mass[low] - mass[low - 1];
  return low - 1 + (width > 0 ? Math.min(Math.max((wanted - mass[low - 1]) / width, 0), 1) : 1);
}

/** A number times a power of the difficulty B: −1, 0 or 1. */
export interface Factor {
  readonly number: number;
  readonly power: -1 | 0 | 1;
}

export const RULES = ['linear', 'falling', 'logarithmic', 'square', 'uniform'] as const;

export type Rule = (typeof RULES)[number];

export interface Weighting {
  /** A rule of the splits, a number for each, or the weight of each instance by its difficulty. */
  readonly weights: Rule | 'B' | '1/B' | readonly number[];
  readonly reward: Factor;
  readonly penalty: Factor;
}

const number = (value: number): Factor => ({ number: value, power: 0 });

const weighting = (weights: Weighting['weights'], reward: Factor, penalty: Factor): Weighting => ({
  weights,
  reward,
  penalty,
});

/** Weights, reward and penalty of Table 1 of the paper, cases 1 to 9. */
export const CASES: readonly { readonly name: string; readonly weighting: Weighting }[] = [
  { name: 'reward equals penalty', weighting: weighting('linear', number(1), number(-1)) },
  { name: 'reward only', weighting: weighting('linear', number(1), number(0)) },
  { name: 'penalty only', weighting: weighting('linear', number(0), number(-1)) },
  { name: 'reward above penalty', weighting: weighting('linear', number(1), number(-0.5)) },
  { name: 'penalty above reward', weighting: weighting('linear', number(0.5), number(-1)) },
  { name: 'weights 1/B', weighting: weighting('1/B', number(1), number(-1)) },
  { name: 'weights B', weighting: weighting('B', number(1), number(-1)) },
  {
    name: 'rewards and penalties 1/B',
    weighting: weighting('linear', { number: 1, power: -1 }, { number: -1, power: -1 }),
  },
  {
    name: 'rewards and penalties B',
    weighting: weighting('linear', { number: 1, power: 1 }, { number: -1, power: 1 }),
  },
];

/** By which the metric is plain accuracy. */
export const PLAIN: Weighting = weighting('uniform', number(1), number(0));

/** Power of B in the weight of an instance. */
export function powerOf({ weights }: Weighting): -1 | 0 | 1 {
  return weights === 'B' ? 1 : weights === '1/B' ? -1 : 0;
}

/** What each of some splits weighs, from the easiest. */
export function splitWeights({ weights }: Weighting, splits: number): Float64Array {
  if (typeof weights !== 'string') return Float64Array.from(weights);
  const rules: Partial<Record<string, (split: number) => number>> = {
    linear: (split) => split,
    falling: (split) => splits + 1 - split,
    logarithmic: (split) => 1 + Math.log(split),
    square: (split) => split ** 2,
  };
  const rule = rules[weights] ?? ((): number => 1);
  return Float64Array.from({ length: splits }, (_, index) => rule(index + 1));
}

/** What is wrong with a weighting for some number of splits, in words; null where nothing is. */
export function wrongIn({ weights, reward, penalty }: Weighting, splits: number): string | null {
  if (reward.number === 0)
    return 'With a reward of 0 nothing can be earned, and the score would divide by 0. A reward of 1 and a penalty of 0 give the same order.';
  if (reward.number < 0) return 'The reward must be above 0.';
  if (penalty.power === reward.power && penalty.number >= reward.number)
    return 'The penalty is not below the reward, so that a wrong answer would pay. Make it smaller.';
  if (typeof weights === 'string') return null;
  if (weights.length !== splits) return 'There must be one weight for each split.';
  return weights.some((weight) => weight > 0) ? null : 'Every split has weight 0. Give at least one some weight.';
}

/** Why powers of B cannot be taken of these difficulties, in words; null where they can. */
export function wrongPowers(asked: Weighting, difficulty: Float64Array, name: string): string | null {
  const { reward, penalty } = asked;
  const power = powerOf(asked);
  const powers = [power, reward.power, ...(penalty.number === 0 ? [] : [penalty.power])];
  if (powers.every((one) => one === 0)) return null;
  if (difficulty.some((value) => value < 0))
    return `Some values of ${name} are below 0, so B and 1/B would make weights or rewards negative.`;
  if (powers.includes(-1) && difficulty.includes(0))
    return `${name} is 0 on some instances, so 1/B is undefined. Choose weights by splits, and numbers for answers.`;
  if (difficulty.every((value) => value === 0))
    return `${name} is 0 on every instance, so weights or rewards are all 0.`;
  const least = Math.min(power + reward.power, power + penalty.power, 0);
  if (least < 0 && difficulty.some((value) => !Number.isFinite(value ** least)))
    return `Some values of ${name} are so small that 1/B is too large to add up.`;
  return null;
}
