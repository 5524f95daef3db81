/** Ways to rank, and what each task says by each of them: every score is a mean over tasks. */

import { isStrength, STRENGTHS } from './bradley-terry';
import { drawNames } from './draw';
import { sharesBeaten, type Ties } from './order';
import { ROUNDING } from './place';
import type { Shares } from './standing';
import type { DrawnInstances, DrawnTasks, Instances, Stepped, Tallies } from './tallies';

/** Borda at a level, or the mean of task means; of battles strengths. */
export const WAYS = ['balanced', 'one', 'two', 'task', 'mean', ...STRENGTHS] as const;

export type Way = (typeof WAYS)[number];

/** Whether scores are shares of others beaten, from 0 to 1. */
export function isShare(way: Way): boolean {
  return way !== 'mean' && !isStrength(way);
}

/** What is drawn: whole tasks, or instances (or clusters) inside them. */
export type Units = 'tasks' | 'instances';

/** What each task says of N systems. */
export interface Said {
  readonly systems: number;
  readonly tasks: number;
  /** Row-major systems × tasks, higher is better; NaN where a task says nothing of a system. */
  readonly values: Float64Array;
  /** By what the weight of each task is multiplied; null for 1. */
  readonly ballots: Float64Array | null;
  /** Row-major systems × tasks: size of what each value was summed from; null for 1. */
  readonly scale: Float64Array | null;
}

/** The same in replicates. */
export interface Redrawn {
  readonly replicates: number;
  /** Null where tasks say the same in all. */
  readonly values: Stepped | null;
  /** Whether a task may say nothing of a system of which another says something. */
  readonly gaps: boolean;
  /** Row-major tasks × replicates: by what weights are multiplied. */
  readonly drawn: ArrayLike<number>;
  /** Tasks of which that is 1 in all replicates. */
  readonly always: readonly boolean[];
}

/** The ways to rank a table; where a task has one score per system, all levels are one. */
export function waysOf({ instances, battles }: Pick<Tallies, 'instances' | 'battles'>): readonly Way[] {
  if (battles !== null) return [...STRENGTHS, 'mean'];
  return instances === null ? ['task', 'mean'] : WAYS.filter((way) => !isStrength(way));
}

/** Whether the page holds what intervals need. */
export function isVarying({ varying, battles }: Tallies, way: Way, units: Units): boolean {
  if (varying === null) return false;
  if (isStrength(way))
    return units === 'instances' && varying.units === 'instances' && varying.shares !== null && battles?.drawn != null;
  if (units === 'tasks' || varying.units === 'tasks') return true;
  if (way === 'mean') return varying.means !== null;
  return varying.shares !== null && (way !== 'task' || varying.means !== null);
}

/** Whether scores are sums over what is drawn; orders inside tasks jump if instances are. */
export function addsUp({ instances }: Pick<Tallies, 'instances'>, way: Way, units: Units): boolean {
  return instances === null || (!isStrength(way) && way !== 'two' && (way !== 'task' || units === 'tasks'));
}

/** Whether a task counts as much as it has ballots. */
export function byBallots(way: Way): boolean {
  return way === 'one' || isStrength(way);
}

/** What each task says by a way, of strengths by its shares; orders do not depend on weights, so they are made once. */
export const said = once(saidBy);

function saidBy(tallies: Tallies, way: Way): Said {
  const { systems, tasks, shares, means, instances } = tallies;
  const plain = { systems, tasks, values: shares, ballots: null, scale: null };
  if (way === 'mean')
    return { ...plain, values: means, scale: instances?.scale ?? means.map((mean) => Math.abs(mean) || 0) };
  if (instances === null || way === 'balanced') return plain;
  if (byBallots(way)) return { ...plain, ballots: instances.ballots };
  return { ...plain, values: way === 'task' ? instances.byOrder : ordersWithin(tallies, shares, tasks) };
}

/** A matrix whose weighted sums put systems into the same order; null where a mean leaves out what is missing. */
export function matrixOf({ systems, tasks, values, ballots, scale }: Said): Shares | null {
  if (scale !== null) return spanned({ systems, tasks, shares: values });
  if (ballots === null) return { systems, tasks, shares: values };
  const mean = ballots.reduce((sum, one) => sum + one, 0) / tasks || 1;
  return { systems, tasks, shares: values.map((value, at) => (value * ballots[at % tasks]) / mean) };
}

/** Between 0 and 1, as programs want it. */
function spanned({ systems, tasks, shares }: Shares): Shares | null {
  const empty = Array.from({ length: tasks }, (_, task) =>
    shares.every((value, at) => at % tasks !== task || Number.isNaN(value)),
  );
  if (shares.some((value, at) => Number.isNaN(value) && !empty[at % tasks])) return null;
  const low = shares.reduce((least, value) => (value < least ? value : least), Infinity);
  const high = shares.reduce((most, value) => (value > most ? value : most), -Infinity);
  return {
    systems,
    tasks,
    shares: shares.map((value) => (Number.isNaN(value) ? 0 : (value - low) / (high - low || 1))),
  };
}

/** What tasks say in replicates of their instances, or of the tasks; null where the page does not hold it. */
export function redrawn(tallies: Tallies, way: Way, units: Units): Redrawn | null {
  return (units === 'tasks' ? byTasks : byInstances)(tallies, way);
}

const byTasks = once((tallies, way) => prepared(tallies, way, tallies.varying && ofTasks(tallies.varying)));
const byInstances = once((tallies, way) => prepared(tallies, way, inReplicates(tallies, way)));

function prepared(tallies: Tallies, way: Way, found: Omit<Redrawn, 'gaps' | 'always'> | null): Redrawn | null {
  if (found === null) return null;
  const { replicates, values, drawn } = found;
  const gaps = (values?.departures ?? said(tallies, way).values).includes(NaN);
  const always = Array.from({ length: tallies.tasks }, (_, task) => {
    let at = 0;
    while (at < replicates && drawn[task * replicates + at] === 1) at += 1;
    return at === replicates;
  });
  return { ...found, gaps, always };
}

/** Tasks say the same in all replicates; families of them are drawn with replacement, as many as there are. */
function ofTasks({ families, draws, replicates }: DrawnTasks | DrawnInstances): Omit<Redrawn, 'gaps' | 'always'> {
  const number = new Set(families).size;
  const times = drawNames(draws, number, number, replicates);
  const drawn = new Float64Array(families.length * replicates);
  families.forEach((family, task) => {
    drawn.set(times.subarray(family * replicates, (family + 1) * replicates), task * replicates);
  });
  return { replicates, values: null, drawn };
}

function inReplicates(tallies: Tallies, way: Way): Omit<Redrawn, 'gaps' | 'always'> | null {
  const { tasks, varying, instances, battles } = tallies;
  if (varying?.units !== 'instances' || instances === null) return null;
  const { replicates, shares, means, drawn } = varying;
  const cells = tallies.systems * tasks;
  const all = { replicates, drawn: new Uint8Array(drawn.length).fill(1) };
  if (isStrength(way)) return battles?.drawn == null ? null : { ...all, values: null };
  if (way === 'mean') return means && { ...all, values: means };
  if (shares === null) return null; // see `isVarying`
  if (way === 'balanced') return { replicates, values: shares, drawn };
  if (way === 'one') return { replicates, values: shares, drawn: parts(varying, instances) };
  if (way === 'two')
    return {
      ...all,
      values: asTheyAre(ordersWithin(tallies, evenWhereNoneIsDrawn(shares, drawn), tasks * replicates), cells),
    };
  if (means === null) return null; // see `isVarying`
  return { ...all, values: asTheyAre(ordersOfMeans(tallies, valuesOf(means), instances, replicates), cells) };
}

/** All numbers in replicates. */
export function valuesOf({ centre, steps, departures }: Stepped): Float64Array {
  const replicates = departures.length / centre.length;
  const values = new Float64Array(departures.length);
  for (let cell = 0; cell < centre.length; cell += 1)
    for (let at = cell * replicates; at < (cell + 1) * replicates; at += 1)
      values[at] = centre[cell] + steps[cell] * departures[at];
  return values;
}

function asTheyAre(values: Float64Array, cells: number): Stepped {
  return { centre: new Float64Array(cells), steps: new Float64Array(cells).fill(1), departures: values };
}

/** Ballots that are drawn of each task, as a share of those it has. */
function parts({ ballots, replicates }: DrawnInstances, instances: Instances): Float64Array {
  return ballots.map((drawn, at) => drawn / instances.ballots[Math.floor(at / replicates)]);
}

/** Systems without any score on a task are not on its ballot. */
function ordersWithin({ systems, tasks, means }: Tallies, shares: Float64Array, columns: number): Float64Array {
  const each = columns / tasks;
  const scored = shares.map((share, at) => {
    const system = Math.floor(at / columns);
    const task = Math.floor((at - system * columns) / each);
    return Number.isNaN(means[system * tasks + task]) ? NaN : share;
  });
  return ordersIn(scored, systems, columns, () => ({ near: ROUNDING, reach: 0 }));
}

function evenWhereNoneIsDrawn(shares: Stepped, drawn: Uint8Array): Float64Array {
  const values = valuesOf(shares);
  return drawn.includes(0) ? values.map((share, at) => (drawn[at % drawn.length] === 0 ? 0.5 : share)) : values;
}

function ordersOfMeans(
  { systems, tasks, reach }: Tallies,
  means: Float64Array,
  { scale }: Instances,
  replicates: number,
): Float64Array {
  const near = nearOf(scale, tasks);
  return ordersIn(means, systems, tasks * replicates, (column) => ({
    near: near[Math.floor(column / replicates)],
    reach,
  }));
}

/** How near means of each task differ by rounding only, from the sizes of scores behind them. */
export function nearOf(scale: Float64Array, tasks: number): Float64Array {
  const near = new Float64Array(tasks);
  scale.forEach((size, cell) => (near[cell % tasks] = Math.max(near[cell % tasks], ROUNDING * size || 0)));
  return near;
}

/** Row-major systems × columns: shares of others beaten in each column. */
export function ordersIn(
  values: Float64Array,
  systems: number,
  columns: number,
  ties: (column: number) => Ties,
): Float64Array {
  const found = new Float64Array(values.length);
  const column = new Float64Array(systems);
  for (let at = 0; at < columns; at += 1) {
    for (let system = 0; system < systems; system += 1) column[system] = values[system * columns + at];
    const shares = sharesBeaten(column, ties(at));
    for (let system = 0; system < systems; system += 1) found[system * columns + at] = shares[system];
  }
  return found;
}

/** The function, which answers for each table and way once. */
export function once<Answer>(make: (tallies: Tallies, way: Way) => Answer): (tallies: Tallies, way: Way) => Answer {
  const known = new WeakMap<Tallies, Map<Way, Answer>>();
  return (tallies, way) => {
    const own = known.get(tallies) ?? new Map<Way, Answer>();
    known.set(tallies, own);
    const answer = own.get(way) ?? make(tallies, way);
    own.set(way, answer);
    return answer;
  };
}
