/** A leaderboard weighed by difficulty, in all ways of `podium.customize`. */

import {
  type Box,
  boxOf,
  type Curves,
  type GradedTask,
  joined,
  overall,
  poolOf,
  ratedOf,
  type Sums,
  sumsOf,
  within,
} from './box';
import { instanceKeys } from './draw';
import { competitionRanks, places, ROUNDING } from './place';
import {
  cut,
  type Cuts,
  emptyCuts,
  knotsOf,
  mustBeFilled,
  PLAIN,
  powerOf,
  type Splitting,
  splitWeights,
  type Weighting,
  wrongIn,
  wrongPowers,
} from './split';

export interface Measure {
  readonly name: string;
  readonly hard: 'low' | 'high';
  /** Whether every system has values of its own, as of its confidence. */
  readonly own: boolean;
  /** Whether it splits the instances of each task, or also of all together. */
  readonly levels: readonly Splitting['level'][];
  /** What the splits are called that a column names, from easy to hard; null without a column. */
  readonly splits: { readonly column: string; readonly names: readonly string[] } | null;
  /** What to know of it, in words. */
  readonly notes: readonly string[];
}

/** All scores of a table, with difficulties. */
export interface Graded {
  readonly systems: number;
  readonly measures: readonly Measure[];
  readonly tasks: readonly GradedTask[];
}

export interface Recipe {
  /** Which measure, by number. */
  readonly measure: number;
  readonly splitting: Splitting;
  readonly weighting: Weighting;
}

/** Boxes with the ends of their splits. */
export interface Partition {
  readonly boxes: readonly Box[];
  /** For each part of each box where splits end, and the knots there. */
  readonly cuts: readonly (readonly Cuts[])[];
  readonly knots: readonly (readonly Float64Array[])[];
  /** For each box, whether a part of it has fewer instances than splits, which are then empty. */
  readonly short: readonly (readonly boolean[])[];
  /** Weights of the averages over boxes. */
  readonly weights: readonly number[];
}

/** What lies in each split. */
export interface Contents {
  /** Instances of all tasks. */
  readonly sizes: Float64Array;
  /** Least and greatest difficulty; NaN where it is empty. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Whether each split but the last ends among instances of one difficulty. */
  readonly shared: readonly boolean[];
}

export interface Customized {
  readonly partition: Partition;
  /** In percent, 100 for all right; NaN where a system has none. */
  readonly score: Float64Array;
  readonly place: Int32Array;
  readonly rank: Int32Array;
  /** Row-major systems × splits, in percent. */
  readonly splitScores: Float64Array;
  readonly splitAccuracy: Float64Array;
  readonly accuracy: Float64Array;
  readonly accuracyRank: Int32Array;
  /** By how much accuracy exceeds the score, in percent of accuracy. */
  readonly inflation: Float64Array;
  /** Instances in each split; on average over systems that each have an order. */
  readonly sizes: Float64Array;
  /** Of the splits; null where instances have weights by their difficulty. */
  readonly weights: Float64Array | null;
}

/** What cannot be answered, in words for a reader. */
export class Impossible extends Error {}

/** Scores sorted by difficulty once for every measure and level, so that any recipe is answered at once. */
export class Customizer {
  readonly graded: Graded;
  readonly #boxes = new Map<string, readonly Box[]>();
  readonly #accuracies = new Map<string, Float64Array>();

  constructor(graded: Graded) {
    this.graded = graded;
  }

  /** Tasks of which a measure rates some instance. */
  tasks(measure: number): readonly GradedTask[] {
    return this.graded.tasks.filter((task) => task.values[measure].some((value) => !Number.isNaN(value)));
  }

  customize(recipe: Recipe): Customized {
    const { splitting, weighting } = recipe;
    this.#check(recipe);
    const partition = this.partition(recipe);
    const b = splitWeights(weighting, splitting.count);
    const plain = sumsIn(partition, PLAIN);
    const sums = plainPowers(weighting) ? plain.map((one) => earnedBy(one, weighting)) : sumsIn(partition, weighting);
    const score = average(
      partition,
      sums.map((one) => overall(one, b)),
    ).map((one) => 100 * one);
    if (score.every(Number.isNaN))
      throw new Impossible('No system has a score in a split of positive weight. Choose other weights.');
    const accuracy = this.#accuracy(recipe);
    const place = places(
      score,
      score.map(() => 100 * ROUNDING),
    );
    return {
      partition,
      score,
      place,
      rank: competitionRanks(place),
      splitScores: average(partition, sums.map(within)).map((one) => 100 * one),
      splitAccuracy: average(partition, plain.map(within)).map((one) => 100 * one),
      accuracy,
      accuracyRank: competitionRanks(
        places(
          accuracy,
          accuracy.map(() => 100 * ROUNDING),
        ),
      ),
      inflation: accuracy.map((one, system) => (one > 0 ? (100 * (one - score[system])) / one : NaN)),
      sizes: meanSizes(partition, splitting.count),
      weights: powerOf(weighting) === 0 ? b : null,
    };
  }

  partition({ measure, splitting }: Recipe): Partition {
    const boxes = this.#ordered(measure, splitting);
    const short = boxes.map(({ parts }) =>
      parts.map(({ places }) => mustBeFilled(splitting) && places.length < splitting.count),
    );
    const lacking = boxes.findIndex(({ own }, box) => !own && short[box].includes(true));
    if (lacking >= 0) {
      const name =
        splitting.level === 'two' && boxes.length > 1 ? `Task ${this.tasks(measure)[lacking].name} has` : 'There are';
      throw new Impossible(
        `${name} fewer instances than splits. Take fewer splits${boxes.length > 1 ? ', or split all tasks together' : ''}.`,
      );
    }
    const cuts = boxes.map(({ parts, rising, span }, box) =>
      parts.map(({ order }, part) =>
        short[box][part] ? emptyCuts(splitting.count) : cut(splitting, order, rising, span),
      ),
    );
    const knots = boxes.map(({ parts }, box) => parts.map(({ mass }, part) => knotsOf(cuts[box][part], mass, true)));
    const weights = splitting.level === 'two' ? this.tasks(measure).map((task) => task.weight) : [1];
    return { boxes, cuts, knots, short, weights };
  }

  #check({ measure, splitting, weighting }: Recipe): void {
    const wrong = wrongIn(weighting, splitting.count);
    if (wrong !== null) throw new Impossible(wrong);
    if (plainPowers(weighting)) return;
    for (const task of this.tasks(measure)) {
      const values = task.values[measure].filter((value) => !Number.isNaN(value));
      const powers = wrongPowers(weighting, values, this.graded.measures[measure].name);
      if (powers !== null) throw new Impossible(powers);
    }
  }

  /** Plain mean score of each system, averaged in the same way; kept. */
  #accuracy({ measure, splitting }: Recipe): Float64Array {
    const name = [measure, splitting.ties, splitting.level].join();
    const known = this.#accuracies.get(name);
    if (known !== undefined) return known;
    const plain: Splitting = { ...splitting, by: 'equal', count: 1, marks: [] };
    const whole = this.partition({ measure, splitting: plain, weighting: PLAIN });
    const found = average(whole, sumsIn(whole, PLAIN).map(within)).map((one) => 100 * one);
    this.#accuracies.set(name, found);
    return found;
  }

  /** Boxes in the order of a way to split; kept. */
  #ordered(measure: number, splitting: Splitting): readonly Box[] {
    const { by, ties, level } = splitting;
    const keyed = by === 'random' || by === 'manual';
    const name = [measure, keyed ? by : ties, level].join();
    const known =
      this.#boxes.get(name) ??
      (keyed
        ? this.#boxed(measure, true, level, by === 'random' ? this.#randomKeys(measure) : this.#namedKeys(measure))
        : this.#boxed(measure, ties === 'share', level, null));
    this.#boxes.set(name, known);
    return known;
  }

  #randomKeys(measure: number): Float64Array[] {
    return this.tasks(measure).map((task) => {
      const { high, low } = instanceKeys(task.keys[measure]?.split ?? '', ratedOf(task, measure).length);
      return Float64Array.from(high, (half, at) => half + low[at] / 2 ** 32);
    });
  }

  /** The numbers of the splits that a column names. */
  #namedKeys(measure: number): Float64Array[] {
    return this.tasks(measure).map((task) => {
      const numbers = task.splits[measure];
      if (numbers === null)
        throw new Impossible('No column names splits of this measure. Choose another way to split.');
      return Float64Array.from(ratedOf(task, measure), (place) => numbers[place]);
    });
  }

  #boxed(
    measure: number,
    shareTies: boolean,
    level: 'one' | 'two',
    keys: readonly Float64Array[] | null,
  ): readonly Box[] {
    const { systems, measures } = this.graded;
    const { hard } = measures[measure];
    const tasks = this.tasks(measure);
    if (level === 'two')
      return tasks.map((task, at) =>
        boxOf(poolOf([task], measure, systems, false), hard, shareTies, keys?.[at] ?? null),
      );
    const all = keys === null ? null : Float64Array.from(keys.flatMap((own) => [...own]));
    return [boxOf(poolOf(tasks, measure, systems, true), hard, shareTies, all)];
  }
}

/** Whether neither weights nor answers hang on B. */
function plainPowers(weighting: Weighting): boolean {
  return powerOf(weighting) === 0 && weighting.reward.power === 0 && weighting.penalty.power === 0;
}

/** Sums by a reward and a penalty, from what is right and what there is. */
function earnedBy({ earned, possible, ...size }: Sums, { reward, penalty }: Weighting): Sums {
  return {
    ...size,
    earned: earned.map((right, at) => reward.number * right + penalty.number * (possible[at] - right)),
    possible: possible.map((all) => reward.number * all),
  };
}

function sumsIn({ boxes, knots }: Partition, weighting: Weighting): Sums[] {
  return boxes.map(({ parts }, box) =>
    joined(parts.map((curves, part) => sumsOf(curves, weighting, knots[box][part], curves.weights))),
  );
}

/** Average over boxes; a box in which a value is NaN is left out of its average. */
export function average({ weights }: Partition, values: readonly Float64Array[]): Float64Array {
  if (values.length === 1) return values[0];
  return values[0].map((_, at) => {
    let sum = 0;
    let whole = 0;
    values.forEach((one, box) => {
      if (Number.isNaN(one[at])) return;
      sum += weights[box] * one[at];
      whole += weights[box];
    });
    return whole > 0 ? sum / whole : NaN;
  });
}

function meanSizes({ boxes, knots, short }: Partition, splits: number): Float64Array {
  const sizes = new Float64Array(splits);
  boxes.forEach(({ parts }, box) => {
    const filled = parts.flatMap((curves, part) => (short[box][part] ? [] : [{ curves, knots: knots[box][part] }]));
    for (const one of filled)
      sizesOf(one.curves, one.knots).forEach((size, split) => (sizes[split] += size / filled.length));
  });
  return sizes;
}

function sizesOf({ order: { ends } }: Curves, knots: Float64Array): Float64Array {
  const before = knots.map((knot) => {
    const below = Math.floor(knot);
    return ends[below] + (knot - below) * ((ends[below + 1] ?? ends[below]) - ends[below]);
  });
  return before.slice(1).map((count, split) => count - before[split]);
}

/** What lies in the splits of a system; without own difficulties in those of all. */
export function contentsFor({ boxes, knots }: Partition, system: number): Contents {
  const lines = boxes.map(({ parts, own }, box) => ({
    curves: parts[own ? system : 0],
    knots: knots[box][own ? system : 0],
  }));
  const splits = lines[0].knots.length - 1;
  const sizes = new Float64Array(splits);
  const ranges = Array.from({ length: splits }, (): [number, number] => [NaN, NaN]);
  const shared = Array.from({ length: splits - 1 }, () => false);
  for (const one of lines) {
    sizesOf(one.curves, one.knots).forEach((size, split) => (sizes[split] += size));
    const { order, difficulty } = one.curves;
    ranges.forEach((range, split) => {
      const [low, high] = [one.knots[split], one.knots[split + 1]];
      if (!(low < high)) return;
      for (let at = order.ends[Math.floor(low)]; at < order.ends[Math.ceil(high)]; at += 1) {
        range[0] = least(range[0], difficulty[at]);
        range[1] = -least(-range[1], -difficulty[at]);
      }
    });
    shared.forEach((known, split) => {
      const knot = one.knots[split + 1];
      const group = Math.floor(knot);
      shared[split] = known || (knot > group && order.ends[group + 1] - order.ends[group] > 1);
    });
  }
  return { sizes, ranges, shared };
}

function least(known: number, value: number): number {
  return known < value ? known : value; // also of NaN
}
