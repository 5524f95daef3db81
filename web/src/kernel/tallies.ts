/** What a page holds of a table: all that ranks it by any method and weights, and says how sure that is. */

import type { Group } from './unit';

export interface Tallies {
  readonly systems: number;
  readonly tasks: number;
  /** Row-major systems × tasks: share of the others beaten, at the level of the page; ½ where there is no score. */
  readonly shares: Float64Array;
  /** Row-major systems × tasks: mean scores, higher is better; NaN where there is none. */
  readonly means: Float64Array;
  /** Whether a task has a score; others count in scores, but tell nothing of how sure these are. */
  readonly scored: readonly boolean[];
  readonly confidence: number;
  /** Scores of a task this near to each other tie. */
  readonly reach: number;
  /**
   * Tasks × pairs (0, 1), (0, 2), …: on how many ballots the first beats the second, less how many it loses; null where
   * that is not held.
   */
  readonly pairs: ArrayLike<number> | null;
  /** What is known of instances; null where each task has one score. */
  readonly instances: Instances | null;
  /** Battles of two systems each; null of other tables. */
  readonly battles: Battles | null;
  /** Null without intervals. */
  readonly varying: DrawnTasks | DrawnInstances | null;
}

/** Results of two systems against each other in a task. */
export interface Battles {
  /** Row-major results × 4: the task, a system, another, and 0 if the first won or 1 if they tied. */
  readonly cells: Int32Array;
  /** How often each occurs; and row-major in every replicate, null if the page does not hold it. */
  readonly numbers: Float64Array;
  readonly drawn: ArrayLike<number> | null;
}

/** What other methods than shares of the page's level need to know of a table of instances. */
export interface Instances {
  /** How many there are on each task, and how many ballots that is by their weights. */
  readonly sizes: readonly number[];
  readonly ballots: Float64Array;
  /** Row-major systems × tasks: share of the others beaten by the order of means. */
  readonly byOrder: Float64Array;
  /** Row-major systems × tasks: size of the scores behind each mean. */
  readonly scale: Float64Array;
  /** Lowest and highest score of each task, higher is better; null without a score. */
  readonly ends: readonly (readonly [number, number] | null)[];
  /** Tasks of the same instances have the same number. */
  readonly sets: readonly number[];
  /** Row-major systems × tasks: how many instances, or clusters, have a score. */
  readonly units: Uint8Array | Int32Array | Float64Array;
}

/** How tasks are drawn. */
export interface DrawnTasks {
  readonly units: 'tasks';
  readonly replicates: number;
  /** Place of each task in the order of names. */
  readonly byName: readonly number[];
  /** Number of the family of each task, in the order of their names: tasks of a family are drawn as one. */
  readonly families: readonly number[];
  /** Whether a task is a single unit. */
  readonly lone: readonly boolean[];
  /** Keys of draws of tasks, and of signs, in hexadecimal digits. */
  readonly draws: string;
  readonly flips: string;
}

/** Numbers in replicates, as departures from those of the table. */
export interface Stepped {
  /** Row-major systems × tasks: numbers of the table, and sizes of steps. */
  readonly centre: Float64Array;
  readonly steps: Float64Array;
  /** Row-major systems × tasks × replicates: by how many steps each departs; NaN where there is none. */
  readonly departures: Int8Array | Float64Array;
}

/** Instances, or clusters, are drawn inside the tasks; or tasks, if most of the weight is on those of a single unit. */
export interface DrawnInstances extends Omit<DrawnTasks, 'units'> {
  readonly units: 'instances';
  /** Null where that is not known, as of some of the systems. */
  readonly shares: Stepped | null;
  /** The same of means; null where the page does not hold them. */
  readonly means: Stepped | null;
  /** Row-major tasks × replicates: 0 where nothing of the task is drawn. */
  readonly drawn: Uint8Array;
  /** Row-major tasks × replicates: how many ballots are drawn. */
  readonly ballots: Float64Array;
  /** Tasks that share what is drawn. */
  readonly groups: readonly Group[];
}
