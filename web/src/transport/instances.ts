/** Scores of single instances with their names and texts, as `podium.webpage.instances` wrote them. */

import type { SuiteTask, UnitGroup } from '../kernel/suite';
import { fromLevels, type Bundle } from './bundle';

interface InstancesContent {
  /** Of each set of instances the names; or the first, where they are only numbers, one after the other. */
  names: (string[] | number)[];
  /** The same of texts; null where the page holds none. */
  texts: (string | null)[][] | null;
  tasks: { names: number; levels: (number | null)[] | null }[];
  /** Tasks that share instances; those that are only numbered may be different ones. */
  shared: readonly { readonly tasks: readonly number[]; readonly numbered: boolean }[];
  /** Tasks whose units are drawn together. */
  units: readonly UnitGroup[];
}

type Held = Omit<SuiteTask, 'weight'>;

export interface Instances extends Pick<InstancesContent, 'shared' | 'units'> {
  /** The scores of a task, unpacked when they are first asked for. */
  readonly task: (task: number) => Held;
  readonly name: (task: number, instance: number) => string;
  /** What it says; empty where it has no text. Null where the page holds no texts. */
  readonly text: ((task: number, instance: number) => string) | null;
}

interface TaskSize {
  readonly instances: number;
  readonly higherIsBetter: boolean;
}

export function instancesOf({ content, arrays }: Bundle, systems: number, sizes: readonly TaskSize[]): Instances {
  const { names, texts, tasks, shared, units } = content as InstancesContent;
  const known = new Map<number, Held>();
  const unpacked = (task: number): Held => {
    const { instances, higherIsBetter } = sizes[task];
    const held = arrays.get(`scores ${task}`)?.values ?? new Float64Array(0);
    return {
      instances,
      higherIsBetter,
      scores: fromLevels(held, tasks[task].levels, systems * instances),
      weights: (arrays.get(`instance weights ${task}`)?.values ?? null) as Float64Array | null,
      clusters: (arrays.get(`clusters ${task}`)?.values ?? null) as Int32Array | null,
      units: (arrays.get(`units ${task}`)?.values ?? null) as Int32Array | null,
    };
  };
  return {
    shared,
    units,
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
