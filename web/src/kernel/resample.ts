/** Intervals of scores by difficulty: the draws of Python's bootstrap, with splits ended anew in each replicate. */

import { type Curves, type GradedTask, joined, overall, ratedOf, series, slices, type Sums, sumsOf } from './box';
import { average, type Customized, type Graded, type Partition, type Recipe } from './customize';
import { drawFour, instanceKeys, type Keys } from './draw';
import { effectiveNumber, LEAST_FREEDOM, satterthwaite } from './freedom';
import { intervals, type Intervals } from './interval';
import { ROUNDING } from './place';
import { knotsOf, massAlong, powerOf, splitWeights } from './split';

/** Share of replicates that may leave a system without a score. */
const LOST_AT_MOST = 0.02;

/** Make intervals of what was answered, or say why there are none. */
export function resampled(
  graded: Graded,
  recipe: Recipe,
  answer: Customized,
  asked: { readonly confidence: number; readonly replicates: number },
): Intervals | string {
  const { measure } = recipe;
  const tasks = graded.tasks.filter((task) => task.keys[measure] !== null);
  if (tasks.some((task) => task.keys[measure]?.clustered === true))
    return 'Instances are drawn in clusters, which this page does not hold, so that it has no intervals.';
  const freedom = freedomOf(recipe, answer.partition, tasks);
  if (freedom < LEAST_FREEDOM)
    return `No intervals: too much depends on few instances (as much as on ${(freedom + 1).toFixed(1)} of equal weight).`;
  const samples = replicatesOf(recipe, answer.partition, tasks, asked.replicates);
  const known = Array.from({ length: asked.replicates }, (_, at) => at).filter((at) =>
    answer.score.every((score, system) => Number.isNaN(score) || !Number.isNaN(samples[at][system])),
  );
  if (asked.replicates - known.length > LOST_AT_MOST * asked.replicates)
    return 'No intervals: too many bootstrap replicates leave a system without a score. Take fewer splits.';
  const values = Float64Array.from({ length: graded.systems * known.length }, (_, at) => {
    const system = Math.floor(at / known.length);
    return 100 * samples[known[at - system * known.length]][system];
  });
  const rounding = answer.score.map(() => 100 * ROUNDING);
  const { confidence } = asked;
  // where each system has an order of its own, an instance can be in another split for each: leads jump
  const smooth = !graded.measures[measure].own;
  const made = { values, systems: graded.systems, replicates: known.length };
  return intervals(
    { score: answer.score, rounding, samples: made },
    { confidence, units: 'instances', freedom, smooth },
  );
}

/** Of one box the instances of equal weight that would tell as much, less 1; of several after Satterthwaite. */
function freedomOf(recipe: Recipe, partition: Partition, tasks: readonly GradedTask[]): number {
  const numbers = partition.boxes.map(({ parts }, box) => {
    const found = parts.map((curves, part) => effective(recipe, curves, partition.knots[box][part]));
    const known = found.filter((number) => number > 0);
    return known.length === 0 ? 0 : Math.min(...known);
  });
  if (recipe.splitting.level === 'one') return numbers[0] - 1;
  const groups = new Map<string, { size: number; weight: number }>();
  tasks.forEach((task, at) => {
    const key = task.keys[recipe.measure]?.draw;
    if (key === null || key === undefined) return; // a single instance is not drawn
    const group = groups.get(key) ?? { size: Infinity, weight: 0 };
    groups.set(key, { size: Math.min(group.size, numbers[at]), weight: group.weight + task.weight });
  });
  const varying = [...groups.values()].filter(({ size, weight }) => size > 1 && weight > 0);
  const most = Math.max(0, ...varying.map(({ weight }) => weight));
  const sizes = varying.map(({ size }) => size);
  return satterthwaite(
    sizes,
    varying.map(({ size, weight }) => (weight / most) ** 2 / size),
  );
}

/** (Σ W)² / Σ W², W being the weights of the denominator. */
function effective({ weighting, splitting }: Recipe, curves: Curves, knots: Float64Array): number {
  const b = splitWeights(weighting, splitting.count);
  const weights = new Float64Array(curves.weights.length);
  let split = 0;
  for (const { first, shares } of slices(curves.order, knots)) {
    shares.forEach((share, at) => (weights[first + at] += share * b[split]));
    split += 1;
  }
  const power = powerOf(weighting) + weighting.reward.power;
  const own = series(curves, power, curves.weights).map((one, at) => one * weights[at]);
  return effectiveNumber(own);
}

/** For each replicate the metric of every system. */
function replicatesOf(
  { measure, weighting, splitting }: Recipe,
  partition: Partition,
  tasks: readonly GradedTask[],
  replicates: number,
): Float64Array[] {
  const b = splitWeights(weighting, splitting.count);
  const keys = tasks.map((task): Keys | number => {
    const { length } = ratedOf(task, measure);
    const key = task.keys[measure]?.draw ?? null;
    return key === null ? length : instanceKeys(key, length);
  });
  const samples: Float64Array[] = [];
  for (let group = 0; samples.length < replicates; group += 1) {
    const drawn = keys.map((key) => (typeof key === 'number' ? onceEach(key) : drawFour(key, group)));
    for (let lane = 0; lane < 4 && samples.length < replicates; lane += 1) {
      const own = drawn.map((lanes) => lanes[lane]);
      const boxed = splitting.level === 'two' ? own : [inOne(own)];
      const scores = partition.boxes.map((_, box) => overall(sumsIn(box, boxed[box]), b));
      samples.push(average(partition, scores));
    }
  }
  return samples;

  function sumsIn(box: number, draws: Uint8Array): Sums {
    const sums = partition.boxes[box].parts.map((curves, part) => {
      const weights = curves.weights.map((weight, place) => weight * draws[curves.places[place]]);
      const knots = knotsOf(partition.cuts[box][part], massAlong(curves.order, weights), false);
      return sumsOf(curves, weighting, knots, weights);
    });
    return joined(sums);
  }
}

function onceEach(length: number): readonly Uint8Array[] {
  return Array.from({ length: 4 }, () => new Uint8Array(length).fill(1));
}

function inOne(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let first = 0;
  for (const piece of pieces) {
    whole.set(piece, first);
    first += piece.length;
  }
  return whole;
}
