/** Instances that are split together, and what systems earn on them, as `podium.customization.box` and `.curve`. */

import { massAlong, type Order, orderOf, powerOf, type Weighting } from './split';

/** N systems on the K instances of a task. */
export interface GradedTask {
  readonly name: string;
  readonly weight: number;
  readonly instances: number;
  /** Row-major systems × instances: scores in [0, 1], higher is better, NaN where missing. */
  readonly goodness: Float64Array;
  /** For each measure the difficulties of the instances, NaN where there is none; row-major of each system’s own. */
  readonly values: readonly Float64Array[];
  /** For each measure the numbers of the splits that a column names, −1 where it has none; null without a column. */
  readonly splits: readonly (Int8Array | null)[];
  /** Null where all weigh the same. */
  readonly weights: Float64Array | null;
  /** For each measure the keys of random splits and of draws, which depend on what it rates; null where nothing. */
  readonly keys: readonly (TaskKeys | null)[];
}

export interface TaskKeys {
  readonly split: string;
  /** Null of a single instance, which is not drawn, and of clusters. */
  readonly draw: string | null;
  readonly clustered: boolean;
}

/** Instances with a difficulty, those of a task by themselves or those of all tasks. */
export interface Pool {
  readonly systems: number;
  readonly goodness: Float64Array;
  /** One for each instance; or row-major systems × instances, NaN where a system has none. */
  readonly difficulty: Float64Array;
  readonly weights: Float64Array;
}

/** A pool in order: one of all systems, or one of each. */
export interface Box {
  readonly parts: readonly Curves[];
  readonly rising: boolean;
  readonly span: readonly [number, number];
  /** Whether every system has difficulties of its own. */
  readonly own: boolean;
}

/** Instances along an order that some systems share. */
export interface Curves {
  readonly systems: number;
  readonly order: Order;
  /** Where the instances, in order, stand in the pool. */
  readonly places: Int32Array;
  /** Row-major systems × instances, in order; 0 where missing. */
  readonly scores: Float64Array;
  /** The same: 1 where there is a score; null where none is missing. */
  readonly scored: Uint8Array | null;
  readonly difficulty: Float64Array;
  readonly weights: Float64Array;
  /** Weight before each knot. */
  readonly mass: Float64Array;
}

/** The instances of a task that a measure rates, by their places. */
export function ratedOf(task: GradedTask, measure: number): Int32Array {
  const values = task.values[measure];
  const rated = new Uint8Array(task.instances);
  values.forEach((value, cell) => {
    if (!Number.isNaN(value)) rated[cell % task.instances] = 1;
  });
  return Int32Array.from(rated.keys()).filter((at) => rated[at] === 1);
}

/** Put what a measure rates of some tasks into one pool; `scaled` multiplies instances by the weights of their tasks. */
export function poolOf(tasks: readonly GradedTask[], measure: number, systems: number, scaled: boolean): Pool {
  const rated = tasks.map((task) => ratedOf(task, measure));
  const size = rated.reduce((sum, places) => sum + places.length, 0);
  const rows = tasks.some((task) => task.values[measure].length > task.instances) ? systems : 1;
  const pool = {
    systems,
    goodness: new Float64Array(systems * size),
    difficulty: new Float64Array(rows * size),
    weights: new Float64Array(size),
  };
  let first = 0;
  tasks.forEach((task, index) => {
    const scale = scaled ? task.weight : 1;
    rated[index].forEach((place, at) => {
      pool.weights[first + at] = scale * (task.weights?.[place] ?? 1);
      for (let row = 0; row < rows; row += 1)
        pool.difficulty[row * size + first + at] = task.values[measure][row * task.instances + place];
      for (let system = 0; system < systems; system += 1)
        pool.goodness[system * size + first + at] = task.goodness[system * task.instances + place];
    });
    first += rated[index].length;
  });
  return pool;
}

/** Sort a pool by its difficulty, or by other keys, increasing. */
export function boxOf(pool: Pool, hard: 'low' | 'high', shareTies: boolean, keys: Float64Array | null): Box {
  const { systems, difficulty, goodness } = pool;
  const size = pool.weights.length;
  const rising = hard === 'high' || keys !== null;
  const own = difficulty.length > size;
  const every = Int32Array.from({ length: size }, (_, at) => at);
  const parts = own
    ? Array.from({ length: systems }, (_, system) => {
        const values = difficulty.subarray(system * size, (system + 1) * size);
        const scores = goodness.subarray(system * size, (system + 1) * size);
        const kept = every.filter((at) => !Number.isNaN(values[at]) && !Number.isNaN(scores[at]));
        return curvesOf(kept, { ...pool, systems: 1, goodness: scores, difficulty: values }, keys, rising, shareTies);
      })
    : [curvesOf(every, pool, keys, rising, shareTies)];
  const known = difficulty.filter((value) => !Number.isNaN(value));
  const span = [
    known.reduce((least, value) => Math.min(least, value), Infinity),
    known.reduce((most, value) => Math.max(most, value), -Infinity),
  ] as const;
  return { parts, rising, span, own };
}

/** Some instances of a pool in order. */
function curvesOf(
  kept: Int32Array,
  { systems, goodness, difficulty, weights: all }: Pool,
  keys: Float64Array | null,
  rising: boolean,
  shareTies: boolean,
): Curves {
  const by = keys ?? difficulty;
  const order = orderOf(
    Float64Array.from(kept, (at) => by[at]),
    rising,
    shareTies,
  );
  const places = order.permutation.map((at) => kept[at]);
  const size = places.length;
  const ordered = (values: Float64Array): Float64Array => Float64Array.from(places, (at) => values[at]);
  const scores = new Float64Array(systems * size);
  const scored = new Uint8Array(systems * size);
  for (let system = 0; system < systems; system += 1)
    places.forEach((place, at) => {
      const score = goodness[system * all.length + place];
      if (!Number.isNaN(score)) {
        scores[system * size + at] = score;
        scored[system * size + at] = 1;
      }
    });
  const weights = ordered(all);
  return {
    systems,
    order,
    places,
    scores,
    scored: scored.includes(0) ? scored : null,
    difficulty: ordered(difficulty),
    weights,
    mass: massAlong(order, weights),
  };
}

/** Numerator and denominator of the metric, row-major systems × splits, before split weights. */
export interface Sums {
  readonly systems: number;
  readonly splits: number;
  readonly earned: Float64Array;
  readonly possible: Float64Array;
}

/** Weights times B to some power; B⁰ is 1, also of 0. */
export function series({ difficulty }: Curves, power: number, weights: Float64Array): Float64Array {
  return power === 0 ? weights : weights.map((weight, at) => weight * difficulty[at] ** power);
}

/** For each split the instances in it, first and behind the last, and which share of each lies in it. */
export function* slices(order: Order, knots: Float64Array): Generator<{ first: number; shares: Float64Array }> {
  for (let split = 0; split + 1 < knots.length; split += 1) {
    const [low, high] = [knots[split], knots[split + 1]];
    const [from, to] = [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low))];
    const first = order.ends[from];
    const shares = new Float64Array(order.ends[to] - first).fill(1);
    for (const group of new Set([from, to - 1])) {
      if (group < from || group >= to) continue;
      const share = Math.max(Math.min(high, group + 1) - Math.max(low, group), 0);
      shares.fill(share, order.ends[group] - first, order.ends[group + 1] - first);
    }
    yield { first, shares };
  }
}

/**
 * Sum between successive knots: Σ K W, K = e + (d − e) score, over what is scored; and Σ d W.
 *
 * `weights` are of the instances in order, times how often each is drawn.
 */
export function sumsOf(curves: Curves, asked: Weighting, knots: Float64Array, weights: Float64Array): Sums {
  const { systems, scores, scored, order } = curves;
  const { reward, penalty } = asked;
  const size = order.permutation.length;
  const splits = knots.length - 1;
  const right = series(curves, powerOf(asked) + reward.power, weights);
  const wrong =
    penalty.number === 0 || penalty.power === reward.power
      ? right
      : series(curves, powerOf(asked) + penalty.power, weights);
  const sums = {
    systems,
    splits,
    earned: new Float64Array(systems * splits),
    possible: new Float64Array(systems * splits),
  };
  let split = 0;
  for (const { first, shares } of slices(order, knots)) {
    const own = shares.map((share, at) => share * right[first + at]);
    const lost = right === wrong ? own : shares.map((share, at) => share * wrong[first + at]);
    const whole = scored === null ? [totalOf(own), totalOf(lost)] : null;
    for (let system = 0; system < systems; system += 1) {
      const from = system * size + first;
      const there = (of: Float64Array): number => (scored === null ? 0 : product(scored, from, of));
      const [possible, answered] = whole ?? [there(own), lost === own ? there(own) : there(lost)];
      const solved = product(scores, from, own);
      const failed = answered - (lost === own ? solved : product(scores, from, lost));
      sums.earned[system * splits + split] = reward.number * solved + penalty.number * failed;
      sums.possible[system * splits + split] = reward.number * possible;
    }
    split += 1;
  }
  return sums;
}

/** The sums of all systems of a box, from those of its parts. */
export function joined(sums: readonly Sums[]): Sums {
  if (sums.length === 1) return sums[0];
  const whole = (of: (one: Sums) => Float64Array): Float64Array =>
    Float64Array.from(sums.flatMap((one) => [...of(one)]));
  return {
    systems: sums.reduce((count, one) => count + one.systems, 0),
    splits: sums[0].splits,
    earned: whole(({ earned }) => earned),
    possible: whole(({ possible }) => possible),
  };
}

function product(values: Float64Array | Uint8Array, from: number, weights: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at += 1) sum += values[from + at] * weights[at];
  return sum;
}

function totalOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** The metric of each split, 1 at most; NaN where nothing could be earned. */
export function within({ earned, possible }: Sums): Float64Array {
  return earned.map((one, at) => (possible[at] > 0 ? one / possible[at] : NaN));
}

/** The metric of each system by some weights of the splits. */
export function overall({ systems, splits, earned, possible }: Sums, weights: Float64Array): Float64Array {
  return Float64Array.from({ length: systems }, (_, system) => {
    let part = 0;
    let whole = 0;
    for (let split = 0; split < splits; split += 1) {
      part += earned[system * splits + split] * weights[split];
      whole += possible[system * splits + split] * weights[split];
    }
    return whole > 0 ? part / whole : NaN;
  });
}
