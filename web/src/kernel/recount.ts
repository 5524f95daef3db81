/** Tables of instances counted anew, among some systems or with more, with the draws of Python’s bootstrap. */

import { drawFour, type Keys } from './draw';
import { compareText } from './place';
import type { DrawnInstances, DrawnTasks, Instances, Stepped, Tallies } from './tallies';
import { type Group, type Kept, spread } from './unit';
import { nearOf, ordersIn } from './way';

/** Scores of the instances of a task, and what draws them. */
export interface CountedTask {
  /** Row-major systems × instances, higher is better; NaN where there is none. */
  readonly scores: Float64Array;
  readonly weights: Float64Array | null;
  /** The unit of each instance among those that are drawn together; null where each is one. */
  readonly units: Int32Array | null;
  /** Null where nothing of the task is drawn. */
  readonly keys: Keys | null;
}

/** Numbers up to which it is kept what single units add to shares, and to means. */
const MOST_ADDED = 2 ** 21;

/** A task among the systems that are kept. */
interface Task extends CountedTask {
  readonly mass: Float64Array;
  /** Row-major systems × instances: share of the others beaten. */
  readonly beaten: Float64Array;
}

export class Recount {
  readonly #systems: number;
  readonly #tasks: readonly Task[];

  constructor(table: readonly CountedTask[], { systems, reach }: Tallies, kept: readonly number[]) {
    this.#systems = kept.length;
    this.#tasks = table.map((task) => {
      const instances = task.scores.length / systems;
      const scores = new Float64Array(kept.length * instances);
      kept.forEach((system, at) =>
        scores.set(task.scores.subarray(system * instances, (system + 1) * instances), at * instances),
      );
      const mass = task.weights ?? new Float64Array(instances).fill(1);
      return { ...task, scores, mass, beaten: ordersIn(scores, kept.length, instances, () => ({ near: 0, reach })) };
    });
  }

  /** Row-major systems × tasks: shares of others beaten. */
  get shares(): Float64Array {
    return this.#byTask(({ mass, beaten }) =>
      Float64Array.from({ length: this.#systems }, (_, system) => meanOf(mass, beaten, system)),
    );
  }

  /** Row-major systems × tasks: means of the scores that there are. */
  get means(): Float64Array {
    return this.#byTask(({ mass, scores }) =>
      Float64Array.from({ length: this.#systems }, (_, system) => meanOf(mass, scores, system)),
    );
  }

  /** Lowest and highest score of each task; null without a score. */
  get ends(): Instances['ends'] {
    return this.#tasks.map(({ scores }) => {
      let [low, high] = [Infinity, -Infinity];
      for (const score of scores) {
        if (score < low) low = score;
        if (score > high) high = score;
      }
      return low > high ? null : [low, high];
    });
  }

  /** How shares vary. */
  drawn(varying: DrawnInstances): DrawnInstances {
    const units = varying.groups.reduce((sum, group) => sum + group.sizes.reduce((all, size) => all + size, 0), 0);
    const isKept = 2 * units * this.#systems <= MOST_ADDED;
    return {
      ...varying,
      shares: this.#replicates('beaten', varying.replicates),
      groups: isKept ? varying.groups.map((group) => ({ ...group, kept: this.#added(group) })) : varying.groups,
    };
  }

  /** How means vary. */
  meansDrawn(replicates: number): Stepped {
    return this.#replicates('scores', replicates);
  }

  #replicates(of: 'beaten' | 'scores', replicates: number): Stepped {
    const cells = this.#systems * this.#tasks.length;
    const departures = this.#byTask((task) => this.#replicatesOf(task, task[of], replicates), replicates);
    return { centre: new Float64Array(cells), steps: new Float64Array(cells).fill(1), departures };
  }

  /** Row-major systems × replicates. */
  #replicatesOf({ mass, keys }: Task, values: Float64Array, replicates: number): Float64Array {
    const found = new Float64Array(this.#systems * replicates);
    const weights = Float64Array.from(mass);
    let lanes: readonly Uint8Array[] = [];
    for (let replicate = 0; replicate < replicates; replicate += 1) {
      if (keys !== null) {
        if (replicate % 4 === 0) lanes = drawFour(keys, replicate >> 2);
        const drawn = lanes[replicate % 4];
        for (let at = 0; at < mass.length; at += 1) weights[at] = mass[at] * drawn[at];
      }
      for (let system = 0; system < this.#systems; system += 1)
        found[system * replicates + replicate] = meanOf(weights, values, system);
    }
    return found;
  }

  #added({ tasks }: Group): Kept[] {
    return tasks.map((task) => {
      const { mass, scores, beaten, units } = this.#tasks[task];
      const size = { systems: this.#systems, tasks: mass.length };
      const of = units ?? Int32Array.from(mass.keys());
      const numbers = Int32Array.from(new Set(of));
      const place = new Map(Array.from(numbers, (number, at) => [number, at]));
      const whole = mass.reduce((sum, one) => sum + one, 0);
      const share = new Float64Array(numbers.length);
      of.forEach((unit, at) => (share[place.get(unit) ?? 0] += mass[at] / whole));
      const byUnit = (values: Float64Array): Float64Array => {
        const { added } = spread(values, size, mass);
        const sums = new Float64Array(numbers.length * this.#systems);
        of.forEach((unit, at) => {
          const to = (place.get(unit) ?? 0) * this.#systems;
          for (let system = 0; system < this.#systems; system += 1)
            sums[to + system] += added[system * mass.length + at];
        });
        return sums;
      };
      return { numbers, mass: share, shares: byUnit(beaten), means: byUnit(scores) };
    });
  }

  /** Row-major systems × tasks × columns, of what is row-major systems × columns of each task. */
  #byTask(of: (task: Task) => Float64Array, columns = 1): Float64Array {
    const found = new Float64Array(this.#systems * this.#tasks.length * columns);
    this.#tasks.forEach((task, at) => {
      const own = of(task);
      for (let system = 0; system < this.#systems; system += 1)
        found.set(own.subarray(system * columns, (system + 1) * columns), (system * this.#tasks.length + at) * columns);
    });
    return found;
  }
}

/** Mean of the numbers of a row that there are, by weights. */
function meanOf(weights: Float64Array, rows: Float64Array, row: number): number {
  const from = row * weights.length;
  let [sum, whole] = [0, 0];
  for (let at = 0; at < weights.length; at += 1) {
    const value = rows[from + at];
    if (Number.isNaN(value)) continue;
    sum += weights[at] * value;
    whole += weights[at];
  }
  return sum / whole;
}

/** The tallies with more rows of means, higher is better, row-major systems × tasks; NaN where there is none. */
export function withRows(tallies: Tallies, rows: Float64Array): Tallies {
  const { tasks, reach } = tallies;
  const means = new Float64Array(tallies.means.length + rows.length);
  means.set(tallies.means);
  means.set(rows, tallies.means.length);
  const systems = means.length / tasks;
  const scored = new Array<boolean>(tasks).fill(false);
  means.forEach((mean, at) => (scored[at % tasks] ||= !Number.isNaN(mean)));
  return {
    ...tallies,
    systems,
    means,
    scored,
    shares: ordersIn(means, systems, tasks, () => ({ near: 0, reach })),
  };
}

/** How tasks of these names and families are drawn; numbers of families are in the order of their names. */
export function drawnTasks(varying: DrawnTasks, names: readonly string[], families: readonly number[]): DrawnTasks {
  const sorted = [...names].sort(compareText);
  return { ...varying, families, byName: names.map((name) => sorted.indexOf(name)), lone: names.map(() => true) };
}

/** The tallies of a table of instances with more systems, which are its last rows, counted and drawn anew. */
export function withInstances(tallies: Tallies, table: readonly CountedTask[]): Tallies {
  const { tasks, instances, varying, reach } = tallies;
  if (instances === null) throw new Error('a table of instances says how many there are');
  const lengths = instances.sizes;
  const systems = table[0].scores.length / lengths[0];
  const all = Array.from({ length: systems }, (_, system) => system);
  const recount = new Recount(table, { ...tallies, systems }, all);
  const means = recount.means;
  const cells = (of: (own: Float64Array, task: CountedTask) => number, known: ArrayLike<number>): Float64Array =>
    Float64Array.from({ length: systems * tasks }, (_, cell) => {
      if (cell < known.length) return known[cell];
      const [task, from] = [table[cell % tasks], Math.floor(cell / tasks) * lengths[cell % tasks]];
      return of(task.scores.subarray(from, from + lengths[cell % tasks]), task);
    });
  const scale = cells((own) => sizeOf(own), instances.scale);
  const near = nearOf(scale, tasks);
  return {
    ...tallies,
    systems,
    means,
    shares: recount.shares,
    scored: tallies.scored.map((_, task) => all.some((system) => !Number.isNaN(means[system * tasks + task]))),
    pairs: null,
    instances: {
      ...instances,
      scale,
      byOrder: ordersIn(means, systems, tasks, (task) => ({ near: near[task], reach })),
      ends: recount.ends,
      units: cells((own, { units }) => numberOf(own, units), instances.units),
    },
    varying:
      varying?.units === 'instances'
        ? { ...recount.drawn(varying), means: varying.means && recount.meansDrawn(varying.replicates) }
        : varying,
  };
}

/** The size of scores, rounded up to a power of two. */
function sizeOf(scores: Float64Array): number {
  const most = scores.reduce((largest, score) => Math.max(largest, Math.abs(score) || 0), 0);
  return most === 0 ? 1 : 2 ** (Math.floor(Math.log2(most)) + 1);
}

/** On how many units there is a score. */
function numberOf(scores: Float64Array, units: Int32Array | null): number {
  const there = Array.from(scores.keys()).filter((at) => !Number.isNaN(scores[at]));
  return units === null ? there.length : new Set(there.map((at) => units[at])).size;
}
