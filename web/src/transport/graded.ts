/** Scores and difficulties of single instances, as `podium.webpage.graded` wrote them. */

import type { GradedTask, TaskKeys } from '../kernel/box';
import type { Graded, Measure } from '../kernel/customize';
import { fromLevels, type Bundle } from './bundle';

interface GradedContent {
  measures: (Measure & { keys: (TaskKeys | null)[]; command: string })[];
  tasks: { task: number; instances: number; levels: (number | null)[] | null }[];
}

interface TaskNames {
  readonly name: string;
  readonly weight: number;
}

export interface Difficulty {
  readonly graded: Graded;
  /** What prints the table, by measure. */
  readonly commands: readonly string[];
}

export function difficultyOf(bundle: Bundle, systems: number, named: readonly TaskNames[]): Difficulty {
  const content = bundle.content as GradedContent;
  const commands = content.measures.map(({ command }) => command);
  return { graded: gradedOf(content, bundle, systems, named), commands };
}

function gradedOf(content: GradedContent, bundle: Bundle, systems: number, named: readonly TaskNames[]): Graded {
  const tasks = content.tasks.map(({ task, instances, levels }): GradedTask => {
    const held = bundle.arrays.get(`goodness ${task}`)?.values ?? new Float64Array(0);
    const values = bundle.arrays.get(`difficulty ${task}`)?.values as Float64Array;
    const confidences = bundle.arrays.get(`confidence ${task}`)?.values as Float64Array;
    const splits = bundle.arrays.get(`splits ${task}`)?.values as Int8Array;
    const row = (measure: number): [number, number] => [measure * instances, (measure + 1) * instances];
    const weights = bundle.arrays.get(`weights ${task}`)?.values;
    return {
      ...named[task],
      instances,
      goodness: fromLevels(held, levels, systems * instances),
      values: content.measures.map(({ own }, measure) => (own ? confidences : values.subarray(...row(measure)))),
      splits: content.measures.map((named, measure) =>
        named.splits === null ? null : splits.subarray(...row(measure)),
      ),
      weights: weights === undefined ? null : (weights as Float64Array),
      keys: content.measures.map(({ keys }) => keys[task]),
    };
  });
  const measures = content.measures.map(({ name, hard, own, levels, splits, notes }) => ({
    ...{ name, hard, own, levels, splits, notes },
  }));
  return { systems, measures, tasks };
}
