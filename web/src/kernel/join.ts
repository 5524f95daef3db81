/** A table of one score per task with more systems, or with its first tasks. */

import { compareText } from './place';
import type { DrawnTasks, Tallies } from './tallies';
import { ordersIn } from './way';

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
