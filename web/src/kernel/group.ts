/** Groups of tasks: the weight of a group multiplies those of its tasks. */

/** Weights as a reader gives them. */
export interface Weights {
  readonly tasks: readonly number[];
  readonly groups: readonly number[];
}

/** The tasks of each group. */
export type Members = readonly (readonly number[])[];

/** What each task weighs. */
export function weightsOf({ tasks, groups }: Weights, members: Members): number[] {
  const weights = [...tasks];
  members.forEach((own, group) => own.forEach((task) => (weights[task] *= groups[group])));
  return weights;
}

/** Weights by which tasks weigh as is wanted; those of groups stay, but where a group weighs nothing and is to. */
export function weighing(wanted: readonly number[], before: Weights, members: Members): Weights {
  const old = weightsOf(before, members);
  const tasks = [...wanted];
  const groups = members.map((own, group) => {
    const by = before.groups[group];
    const muted = by === 0 && own.some((task) => wanted[task] > 0);
    for (const task of own)
      if (wanted[task] === old[task] && !muted) tasks[task] = before.tasks[task];
      else if (by > 0) tasks[task] = wanted[task] / by;
    return muted ? 1 : by;
  });
  return { tasks, groups };
}

/** By how much each task of a group counts in the mean of the group: as the first of some weights that are not all 0. */
export function mixOf(own: readonly number[], ...weights: readonly (readonly number[])[]): Float64Array {
  const found = weights.find((some) => own.some((task) => some[task] > 0));
  const sum = own.reduce((all, task) => all + (found?.[task] ?? 1), 0);
  return Float64Array.from(own, (task) => (found?.[task] ?? 1) / sum);
}

/**
 * The mean of some columns in the row that begins at `from`: over those that are there, as far as any counts; NaN where
 * none is there.
 */
export function meanOver(values: Float64Array, from: number, own: readonly number[], mix: Float64Array): number {
  let [sum, whole, plain, count] = [0, 0, 0, 0];
  for (let at = 0; at < own.length; at += 1) {
    const value = values[from + own[at]];
    if (Number.isNaN(value)) continue;
    sum += mix[at] * value;
    whole += mix[at];
    plain += value;
    count += 1;
  }
  return whole > 0 ? sum / whole : plain / count;
}

/** Whether all tasks and groups weigh the same. */
export function areSame(one: Weights, other: Weights): boolean {
  const same = (some: readonly number[], others: readonly number[]): boolean =>
    some.every((weight, at) => weight === others[at]);
  return one === other || (same(one.tasks, other.tasks) && same(one.groups, other.groups));
}

/** With another weight at one place. */
export function replaced(weights: readonly number[], place: number, weight: number): readonly number[] {
  return weights.map((before, at) => (at === place ? weight : before));
}
