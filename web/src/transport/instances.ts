/** Scores of single instances with their names and texts, as `podium.webpage.instance` wrote them. */

import type { PairedTask } from '../kernel/paired';
import { fromLevels, type Bundle } from './bundle';

interface InstancesContent {
  /** Of each set of instances the names; or the first, where they are only numbers, one after the other. */
  names: (string[] | number)[];
  /** The same of texts; null where the page holds none. */
  texts: (string | null)[][] | null;
  tasks: { names: number; levels: (number | null)[] | null }[];
  /** Sets that several tasks share. */
  shared: number;
}

export interface Instances {
  readonly shared: number;
  /** The scores of a task, unpacked when they are first asked for. */
  readonly task: (task: number) => PairedTask;
  readonly name: (task: number, instance: number) => string;
  /** What it says; empty where it has no text. Null where the page holds no texts. */
  readonly text: ((task: number, instance: number) => string) | null;
}

interface TaskSize {
  readonly instances: number;
  readonly higherIsBetter: boolean;
}

export function instancesOf({ content, arrays }: Bundle, systems: number, sizes: readonly TaskSize[]): Instances {
  const { names, texts, tasks, shared } = content as InstancesContent;
  const known = new Map<number, PairedTask>();
  const unpacked = (task: number): PairedTask => {
    const { instances, higherIsBetter } = sizes[task];
    const held = arrays.get(`scores ${task}`)?.values ?? new Float64Array(0);
    return {
      instances,
      higherIsBetter,
      scores: fromLevels(held, tasks[task].levels, systems * instances),
      weights: (arrays.get(`instance weights ${task}`)?.values ?? null) as Float64Array | null,
      clusters: (arrays.get(`clusters ${task}`)?.values ?? null) as Int32Array | null,
    };
  };
  return {
    shared,
    task: (task) => {
      const found = known.get(task) ?? unpacked(task);
      known.set(task, found);
      return found;
    },
    name: (task, instance) => {
      const own = names[tasks[task].names];
      return typeof own === 'number' ? String(own + instance) : own[instance];
    },
    text: texts === null ? null : (task, instance) => texts[tasks[task].names][instance] ?? '',
  };
}
