/** What is drawn as one, by the weights that tasks have, as `podium.score.units` and `podium.ranking.contribution`. */

import { drawNames } from './draw';
import type { DrawnInstances, DrawnTasks, Tallies } from './tallies';
import { addsUp, said, type Redrawn, type Units, type Way } from './way';

type Drawn = DrawnTasks | DrawnInstances;

/**
 * Tasks that are drawn together, since they share instances or clusters.
 *
 * `gram` is row-major: Σ_u v_tu v_t'u, with v_tu the share of the weight of task t that is in unit u; 1/K throughout
 * for tasks with the same K instances, and 1 of a task inside one unit, which does not vary.
 */
export interface Group {
  readonly tasks: readonly number[];
  /** How many instances or clusters they have together, and each of them. */
  readonly units: number;
  readonly sizes: readonly number[];
  readonly gram: readonly number[];
  /** Whether units stand in the order of their numbers, as clusters do; otherwise in that of first instances. */
  readonly clustered: boolean;
  /** For each of the tasks what its units add; null where that is not kept. */
  readonly kept: readonly Kept[] | null;
}

/** What each unit of a task adds. */
export interface Kept {
  /** Their numbers in the group, in the order of first instances. */
  readonly numbers: ArrayLike<number>;
  /** Share of each in the weight of the task. */
  readonly mass: Float64Array;
  /** Row-major units × systems: what they add to shares, and to means. */
  readonly shares: Float64Array;
  readonly means: Float64Array;
}

/** Tasks with weight that share units among themselves, by their places in a group. */
export interface Component {
  readonly group: Group;
  readonly places: readonly number[];
}

/** What is drawn by some weights: tasks if most of the weight is on those of a single unit. */
export function unitsBy({ varying, scored }: Tallies, weights: ArrayLike<number>): Units {
  if (varying === null || varying.units === 'tasks') return 'tasks';
  let [whole, alone] = [0, 0];
  scored.forEach((has, task) => {
    if (!has) return;
    whole += weights[task];
    if (varying.lone[task]) alone += weights[task];
  });
  return 2 * alone > whole ? 'tasks' : 'instances';
}

/**
 * Draw tasks of a single unit among each other: H − 1 of their H families, with replacement. Their weight as a whole
 * stays. `weights` are 0 of tasks that say nothing.
 */
export function withLone(again: Redrawn, varying: Drawn, weights: Float64Array): Redrawn {
  const alone = Array.from(weights.keys()).filter((task) => varying.lone[task] && weights[task] > 0);
  const families = [...new Set(alone.map((task) => varying.families[task]))].sort((one, other) => one - other);
  if (families.length < 2) return again;
  const { replicates } = again;
  const times = drawNames(varying.draws, families.length, families.length - 1, replicates);
  const factors = new Float64Array(replicates);
  let whole = 0;
  for (const task of alone) {
    const from = families.indexOf(varying.families[task]) * replicates;
    for (let at = 0; at < replicates; at += 1) factors[at] += weights[task] * times[from + at];
    whole += weights[task];
  }
  const drawn = Float64Array.from(again.drawn);
  const always = [...again.always];
  for (const task of alone) {
    const from = families.indexOf(varying.families[task]) * replicates;
    always[task] = false;
    for (let at = 0; at < replicates; at += 1)
      drawn[task * replicates + at] *= (times[from + at] * whole) / factors[at];
  }
  return { ...again, drawn, always };
}

/** Groups of tasks with weight, in the order of the names of their first tasks. */
export function componentsOf({ groups, byName }: DrawnInstances, weights: Float64Array): Component[] {
  const found = groups.flatMap((group) => {
    const places = Array.from(group.tasks.keys())
      .filter((place) => weights[group.tasks[place]] > 0)
      .sort((one, other) => byName[group.tasks[one]] - byName[group.tasks[other]]);
    return connected(group, places);
  });
  const first = ({ group, places }: Component): number => byName[group.tasks[places[0]]];
  return found.sort((one, other) => first(one) - first(other));
}

function connected(group: Group, places: readonly number[]): Component[] {
  const left = new Set(places);
  const found: Component[] = [];
  for (const start of places) {
    if (!left.delete(start)) continue;
    const own = [start];
    for (const place of own)
      for (const other of left)
        if (group.gram[place * group.tasks.length + other] > 0) {
          left.delete(other);
          own.push(other);
        }
    found.push({ group, places: places.filter((place) => own.includes(place)) });
  }
  return found;
}

/** The numbers of the units of some tasks, in order; null where they are not kept. */
function numbersOf({ group, places }: Component): number[] | null {
  const { kept, clustered } = group;
  if (kept === null) return null;
  const numbers = [...new Set(places.flatMap((place) => Array.from(kept[place].numbers)))];
  return clustered ? numbers.sort((one, other) => one - other) : numbers;
}

/** How many units tasks have; at most so many where units are not kept. */
export function numberOfUnits(components: readonly Component[]): number {
  const number = (component: Component): number => {
    const { group, places } = component;
    const most = Math.min(
      group.units,
      places.reduce((sum, place) => sum + group.sizes[place], 0),
    );
    return numbersOf(component)?.length ?? most;
  };
  return components.reduce((sum, component) => sum + number(component), 0);
}

/** Row-major families × systems: what each adds to scores by a way that adds up, in the order in which signs go. */
export function addedByTasks(tallies: Tallies, varying: Drawn, way: Way, weights: Float64Array): Float64Array {
  const { systems, tasks } = tallies;
  const weighing = Array.from(weights.keys()).filter((task) => weights[task] > 0);
  weighing.sort((one, other) => varying.byName[one] - varying.byName[other]);
  const families = [...new Set(weighing.map((task) => varying.families[task]))].sort((one, other) => one - other);
  const apart = families.length === weighing.length;
  const { added } = spread(said(tallies, way).values, { systems, tasks }, weights);
  const values = new Float64Array(families.length * systems);
  weighing.forEach((task, at) => {
    const to = (apart ? at : families.indexOf(varying.families[task])) * systems;
    for (let system = 0; system < systems; system += 1) values[to + system] += added[system * tasks + task];
  });
  return values;
}

/** Row-major units × systems: what each instance or cluster adds; null where it is not kept. */
export function addedByUnits(
  tallies: Tallies,
  components: readonly Component[],
  way: Way,
  weights: Float64Array,
): Float64Array | null {
  const { systems, tasks } = tallies;
  const values = said(tallies, way === 'mean' ? 'mean' : 'balanced').values;
  const { added, share } = spread(values, { systems, tasks }, weights);
  const parts: Float64Array[] = [];
  for (const component of components) {
    const { kept, tasks: own } = component.group;
    const numbers = numbersOf(component);
    if (kept === null || numbers === null) return null;
    const at = new Map(numbers.map((number, place) => [number, place]));
    const sums = new Float64Array(numbers.length * systems);
    for (const place of component.places) {
      const task = own[place];
      const { mass, shares, means } = kept[place];
      const inside = way === 'mean' ? means : shares;
      for (let unit = 0; unit < mass.length; unit += 1) {
        const to = (at.get(kept[place].numbers[unit]) ?? 0) * systems;
        for (let system = 0; system < systems; system += 1) {
          const cell = system * tasks + task;
          const departure = inside[unit * systems + system] - mass[unit] * (values[cell] || 0);
          sums[to + system] += mass[unit] * added[cell] + share[cell] * departure;
        }
      }
    }
    parts.push(sums);
  }
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let from = 0;
  for (const part of parts) {
    all.set(part, from);
    from += part.length;
  }
  return all;
}

/**
 * Row-major systems × tasks: what tasks add to means over those that say something of a system, and what share of the
 * weight of these each has.
 *
 * A task has its share of all weight, and departs from the mean of the system where it says something of it.
 */
export function spread(
  values: Float64Array,
  { systems, tasks }: Pick<Tallies, 'systems' | 'tasks'>,
  weights: Float64Array,
): { added: Float64Array; share: Float64Array } {
  const added = new Float64Array(values.length);
  const share = new Float64Array(values.length);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  for (let system = 0; system < systems; system += 1) {
    const from = system * tasks;
    let [whole, mean] = [0, 0];
    for (let task = 0; task < tasks; task += 1) if (!Number.isNaN(values[from + task])) whole += weights[task];
    for (let task = 0; task < tasks; task += 1) {
      if (Number.isNaN(values[from + task]) || whole === 0) continue;
      share[from + task] = weights[task] / whole;
      mean += share[from + task] * values[from + task];
    }
    for (let task = 0; task < tasks; task += 1) {
      const departure = share[from + task] === 0 ? 0 : share[from + task] * (values[from + task] - mean);
      added[from + task] = (weights[task] / all) * mean + departure;
    }
  }
  return { added, share };
}

/** The way whose scores are sums over units, on the same ballots: the mean itself, otherwise Borda. */
export function basisOf(tallies: Tallies, way: Way, units: Units): Way {
  return addsUp(tallies, way, units) ? way : 'balanced';
}
