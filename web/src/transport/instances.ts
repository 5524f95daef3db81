/** Scores of single instances with their names and texts, as `podium.webpage.instances` wrote them. */

import { instanceKeys, type Keys } from '../kernel/draw';
import type { CountedTask } from '../kernel/recount';
import type { SuiteTask, UnitGroup } from '../kernel/suite';
import { fromLevels, type Bundle } from './bundle';

interface InstancesContent {
  /** Of each set of instances the names; or the first, where they are only numbers, one after the other. */
  names: (string[] | number)[];
  /** The same of texts; null where the page holds none. */
  texts: (string | null)[][] | null;
  tasks: { names: number; levels: (number | null)[] | null; draw: string | null }[];
  /** Tasks that share instances; those that are only numbered may be different ones. */
  shared: readonly { readonly tasks: readonly number[]; readonly numbered: boolean }[];
  /** Tasks whose units are drawn together. */
  units: readonly UnitGroup[];
}

type Held = Omit<SuiteTask, 'weight'>;

export interface Instances extends Pick<InstancesContent, 'shared' | 'units'> {
  /** The scores of a task, unpacked when they are first asked for. */
  readonly task: (task: number) => Held;
  /** All of them, as some of the systems are counted anew. */
  readonly counted: () => readonly CountedTask[];
  readonly name: (task: number, instance: number) => string;
  /** What it says; empty where it has no text. Null where the page holds no texts. */
  readonly text: ((task: number, instance: number) => string) | null;
}

/** Scores of systems that a reader has added, of each by task. */
export type Added = readonly (readonly Float64Array[])[];

export interface TaskSize {
  readonly instances: number;
  readonly higherIsBetter: boolean;
}

export function instancesOf(
  { content, arrays }: Bundle,
  systems: number,
  sizes: readonly TaskSize[],
  added: Added = [],
): Instances {
  const { names, texts, tasks, shared, units } = content as InstancesContent;
  const known = new Map<number, Held>();
  const unpacked = (task: number): Held => {
    const { instances, higherIsBetter } = sizes[task];
    const held = arrays.get(`scores ${task}`)?.values ?? new Float64Array(0);
    const scores = new Float64Array((systems + added.length) * instances);
    scores.set(fromLevels(held, tasks[task].levels, systems * instances));
    added.forEach((rows, at) => scores.set(rows[task], (systems + at) * instances));
    return {
      instances,
      higherIsBetter,
      scores,
      weights: (arrays.get(`instance weights ${task}`)?.values ?? null) as Float64Array | null,
      clusters: (arrays.get(`clusters ${task}`)?.values ?? null) as Int32Array | null,
      units: (arrays.get(`units ${task}`)?.values ?? null) as Int32Array | null,
    };
  };
  const taskOf = (task: number): Held => {
    const found = known.get(task) ?? unpacked(task);
    known.set(task, found);
    return found;
  };
  return {
    shared,
    units,
    task: taskOf,
    counted: () =>
      tasks.map((_, task) => {
        const { scores, higherIsBetter, weights, units: own } = taskOf(task);
        const oriented = higherIsBetter ? scores : scores.map((score) => -score);
        const keys = keysOf(tasks[task].draw, arrays.get(`draws ${task}`)?.values, sizes[task].instances);
        return { scores: oriented, weights, units: own, keys };
      }),
    name: (task, instance) => {
      const own = names[tasks[task].names];
      return typeof own === 'number' ? String(own + instance) : own[instance];
    },
    text: texts === null ? null : (task, instance) => texts[tasks[task].names][instance] ?? '',
  };
}

/** What instances are called: names of sets of them, or the first where they are numbers; and the set of each task. */
export function namesOf({ content }: Bundle): { readonly sets: (string[] | number)[]; readonly of: number[] } {
  const { names, tasks } = content as InstancesContent;
  return { sets: names, of: tasks.map((task) => task.names) };
}

/** Keys of instances from that of their task, or from low and high halves in turn; null where nothing is drawn. */
export function keysOf(draw: string | null, halves: ArrayLike<number> | undefined, instances: number): Keys | null {
  if (draw !== null) return instanceKeys(draw, instances);
  if (halves === undefined) return null;
  const every = (first: number): Uint32Array =>
    Uint32Array.from({ length: instances }, (_, at) => halves[2 * at + first]);
  return { low: every(0), high: every(1) };
}
