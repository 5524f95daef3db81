/** By how many units a standard error is known, of scores and of pairs, as `podium.ranking.degrees_of_freedom`. */

import { products } from './deviation';
import type { DrawnInstances, Stepped, Tallies } from './tallies';
import { type Component, type Kept, spread } from './unit';
import { once, said, type Way } from './way';

/** Fewer degrees of freedom are too few to know a standard error by. */
export const LEAST_FREEDOM = 5;

/** (Σ a)² / Σ a²: how many equal ones would tell as much; 0 without any. */
export function effectiveNumber(values: Iterable<number>): number {
  const all = [...values];
  const most = all.reduce((largest, one) => Math.max(largest, one), 0);
  if (most === 0) return 0;
  let [sum, squares] = [0, 0];
  for (const value of all) {
    sum += value / most;
    squares += (value / most) ** 2;
  }
  return sum ** 2 / squares;
}

/** If tasks are drawn: (Σ w)² / Σ w² − 1 over families, which are numbered by task. */
export function freedomOfTasks(weights: Float64Array, families: readonly number[]): number {
  const size = effectiveNumber(sumsBy(weights, families).values());
  return size === 0 ? 0 : Number((size - 1).toPrecision(12));
}

/** Of means over groups of units of some sizes and variances: (Σ v)² / Σ v² / (n − 1), Satterthwaite (1946). */
export function satterthwaite(sizes: readonly number[], variances: readonly number[]): number {
  const whole = variances.reduce((sum, one) => sum + one, 0);
  const squares = variances.reduce((sum, one, at) => sum + one ** 2 / (sizes[at] - 1), 0);
  return sizes.length === 0 ? 0 : whole ** 2 / squares;
}

/**
 * If instances are drawn, over groups of tasks that are drawn together, and tasks of a single unit, whose families are
 * drawn among each other; 0 if one of these stands alone.
 */
export function freedomOfUnits(
  weights: Float64Array,
  components: readonly Component[],
  { families, lone }: { readonly families: readonly number[]; readonly lone: readonly boolean[] },
): number {
  const most = Math.max(0, ...weights) || 1;
  const alone = weights.map((weight, task) => (lone[task] ? weight / most : 0));
  const masses = [...sumsBy(alone, families).values()];
  const size = effectiveNumber(masses);
  if (size > 0 && size < 1 + 1e-9) return 0;
  const sizes = size > 0 ? [size] : [];
  const variances = size > 0 ? [masses.reduce((sum, one) => sum + one ** 2, 0)] : [];
  for (const { group, places } of components) {
    const own = places.filter((place) => !lone[group.tasks[place]]);
    const weight = own.map((place) => weights[group.tasks[place]] / most);
    const whole = weight.reduce((sum, one) => sum + one, 0);
    if (whole === 0) continue;
    let variance = 0;
    own.forEach((row, left) => {
      own.forEach((column, right) => {
        variance += weight[left] * weight[right] * group.gram[row * group.tasks.length + column];
      });
    });
    sizes.push(whole ** 2 / variance);
    variances.push(variance);
  }
  return Number(satterthwaite(sizes, variances).toPrecision(12)); // of six clusters it is 5, no less
}

/** Sums of weights that are not 0, by the number of each. */
export function sumsBy(weights: Float64Array, numbers: readonly number[]): Map<number, number> {
  const sums = new Map<number, number>();
  weights.forEach((weight, at) => {
    if (weight > 0) sums.set(numbers[at], (sums.get(numbers[at]) ?? 0) + weight);
  });
  return sums;
}

/** Numbers up to which it is kept how tasks vary; and systems up to which each pair is looked at. */
const MOST_KEPT = 2 ** 22;
const MOST_SYSTEMS = 700;

/** A variance that is smaller by this share is none. */
const NOTHING = 1e-12;

/**
 * Row-major systems × systems: degrees of freedom of each difference, and of each score on the diagonal, if instances
 * are drawn; null of very many systems and tasks.
 *
 * As by weights alone, but by how much each task was seen to vary. If the page holds what single units add, this is
 * known exactly; otherwise as well as replicates show it.
 */
export function freedomOfPairs(
  tallies: Tallies,
  varying: DrawnInstances,
  components: readonly Component[],
  way: Way,
  weights: Float64Array,
  whole: number,
): Float64Array | null {
  const basis = way === 'mean' ? 'mean' : 'balanced';
  const varies = covariances(tallies, basis);
  if (varies === null) return null;
  const { systems, tasks } = tallies;
  const values = said(tallies, basis).values;
  const { share } = spread(values, { systems, tasks }, weights);
  const cells = (systems * (systems + 1)) / 2;
  const [total, squares] = [new Float64Array(cells), new Float64Array(cells)];
  const [square, deviation, perUnit] = [0, 1, 2].map(() => new Float64Array(cells));
  for (const { group, places } of components) {
    const own = places.filter((place) => !varying.lone[group.tasks[place]]);
    for (const buffer of [deviation, perUnit]) buffer.fill(0);
    for (const place of own) {
      const task = group.tasks[place];
      const perFreedom = 1 / (1 / group.gram[place * group.tasks.length + place] - 1);
      const column = Float64Array.from({ length: systems }, (_, system) => share[system * tasks + task]);
      setVariances(square, varies[task], column);
      if (own.length === 1) addTask(total, squares, square, perFreedom);
      else addDeviations(deviation, perUnit, square, perFreedom);
    }
    if (own.length > 1) addVariances(total, squares, deviation, perUnit);
  }
  addLone(total, squares, tallies, varying, { weights, share, values });
  const freedom = new Float64Array(systems * systems);
  let cell = 0;
  for (let one = 0; one < systems; one += 1)
    for (let other = one; other < systems; other += 1) {
      const found = squares[cell] > 0 ? total[cell] ** 2 / squares[cell] : whole;
      freedom[one * systems + other] = freedom[other * systems + one] = found;
      cell += 1;
    }
  return freedom;
}

/** Variances of what a task adds to each difference; 0 of those that are rounding. */
function setVariances(square: Float64Array, covariance: Float64Array, share: Float64Array): void {
  const systems = share.length;
  const variance = new Float64Array(systems);
  for (let system = 0, cell = 0; system < systems; cell += systems - system, system += 1)
    variance[system] = share[system] ** 2 * covariance[cell];
  for (let one = 0, cell = 0; one < systems; one += 1) {
    square[cell++] = variance[one];
    for (let other = one + 1; other < systems; other += 1) {
      const sum = variance[one] + variance[other];
      const difference = sum - 2 * share[one] * share[other] * covariance[cell];
      square[cell++] = difference > NOTHING * sum ? difference : 0;
    }
  }
}

/** Add a task that shares no units with others. */
function addTask(total: Float64Array, squares: Float64Array, square: Float64Array, perFreedom: number): void {
  for (let cell = 0; cell < square.length; cell += 1) {
    const variance = square[cell];
    total[cell] += variance;
    squares[cell] += variance * variance * perFreedom;
  }
}

function addDeviations(deviation: Float64Array, perUnit: Float64Array, square: Float64Array, perFreedom: number): void {
  for (let cell = 0; cell < square.length; cell += 1) {
    const root = Math.sqrt(square[cell]);
    deviation[cell] += root;
    perUnit[cell] += root * perFreedom;
  }
}

/** Add tasks that share units: at most as if all were one. */
function addVariances(
  total: Float64Array,
  squares: Float64Array,
  deviation: Float64Array,
  perUnit: Float64Array,
): void {
  for (let cell = 0; cell < deviation.length; cell += 1) {
    const variance = deviation[cell] * deviation[cell];
    total[cell] += variance;
    squares[cell] += variance * deviation[cell] * perUnit[cell];
  }
}

/** Families of tasks of a single unit vary among each other. */
function addLone(
  total: Float64Array,
  squares: Float64Array,
  { systems, tasks }: Tallies,
  varying: DrawnInstances,
  { weights, share, values }: Readonly<Record<'weights' | 'share' | 'values', Float64Array>>,
): void {
  const alone = weights.map((weight, task) => (varying.lone[task] ? weight : 0));
  const masses = sumsBy(alone, varying.families);
  if (masses.size === 0) return;
  const families = [...masses.keys()];
  const mass = [...masses.values()];
  const whole = mass.reduce((sum, one) => sum + one, 0);
  const known = effectiveNumber(mass) - 1;
  const added = new Float64Array(families.length * systems);
  varying.families.forEach((family, task) => {
    if (!varying.lone[task] || weights[task] === 0) return;
    const to = families.indexOf(family) * systems;
    for (let system = 0; system < systems; system += 1) {
      const at = system * tasks + task;
      added[to + system] += share[at] * (values[at] || 0);
    }
  });
  for (let system = 0; system < systems; system += 1) {
    let sum = 0;
    for (let at = system; at < added.length; at += systems) sum += added[at];
    mass.forEach((own, family) => (added[family * systems + system] -= (own / whole) * sum));
  }
  let cell = 0;
  for (let one = 0; one < systems; one += 1)
    for (let other = one; other < systems; other += 1) {
      let square = 0;
      for (let from = 0; from < added.length; from += systems)
        square += (added[from + one] - (one === other ? 0 : added[from + other])) ** 2;
      const variance = (square * (known + 1)) / known;
      total[cell] += variance;
      squares[cell] += variance ** 2 / known;
      cell += 1;
    }
}

/** For each task, row-major above the diagonal and on it: covariances of what it says of the systems. */
const covariances = once((tallies, way): Float64Array[] | null => {
  const { varying, systems, tasks } = tallies;
  const cells = (systems * (systems + 1)) / 2;
  if (varying?.units !== 'instances' || systems > MOST_SYSTEMS || tasks * cells > MOST_KEPT) return null;
  const found: Float64Array[] = [];
  const again = way === 'mean' ? varying.means : varying.shares;
  const values = said(tallies, way).values;
  for (const { tasks: own, kept } of varying.groups) {
    own.forEach((task, place) => {
      const means = Float64Array.from({ length: systems }, (_, system) => values[system * tasks + task] || 0);
      const rows =
        kept !== null
          ? ofUnits(kept[place], way, means)
          : again !== null
            ? ofReplicates(again, task, systems, tasks)
            : null;
      if (rows !== null) found[task] = products(rows, systems);
    });
  }
  return found.length === 0 ? null : found;
});

/** Row-major systems × units: departures of what units add. */
function ofUnits({ mass, shares, means }: Kept, way: Way, whole: Float64Array): Float64Array {
  const inside = way === 'mean' ? means : shares;
  const units = mass.length;
  return Float64Array.from({ length: inside.length }, (_, at) => {
    const system = Math.floor(at / units);
    const unit = at - system * units;
    return inside[unit * whole.length + system] - mass[unit] * whole[system];
  });
}

/** Row-major systems × replicates: departures from their mean, 0 where there is none; their squares add up to a variance. */
function ofReplicates({ steps, departures }: Stepped, task: number, systems: number, tasks: number): Float64Array {
  const replicates = departures.length / steps.length;
  const rows = new Float64Array(systems * replicates);
  for (let system = 0; system < systems; system += 1) {
    const cell = system * tasks + task;
    const from = cell * replicates;
    let [sum, known] = [0, 0];
    for (let at = from; at < from + replicates; at += 1)
      if (!Number.isNaN(departures[at])) {
        sum += departures[at];
        known += 1;
      }
    const scale = steps[cell] / Math.sqrt(Math.max(known - 1, 1));
    for (let at = 0; at < replicates; at += 1)
      rows[system * replicates + at] = (departures[from + at] - sum / known) * scale || 0;
  }
  return rows;
}
