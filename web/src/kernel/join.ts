/** A table with more systems, or one of one score per task with its first tasks. */

import { compareText } from './place';
import { Recount, type CountedTask } from './recount';
import type { DrawnTasks, Tallies } from './tallies';
import { nearOf, ordersIn } from './way';

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
