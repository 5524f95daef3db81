/** Which scores of a table are missing. */

export interface Table {
  readonly systems: number;
  /** Instances of each task. */
  readonly sizes: readonly number[];
  /** Row-major systems × tasks: of how many instances there are scores. */
  readonly scored: ArrayLike<number>;
}

export interface Holes {
  /** Scores that there could be, and those that are missing: of all, of each system, and on each task. */
  readonly cells: number;
  readonly missing: number;
  readonly ofSystem: Float64Array;
  readonly onTask: Float64Array;
}

export function holesOf({ systems, sizes, scored }: Table): Holes {
  const [ofSystem, onTask] = [new Float64Array(systems), new Float64Array(sizes.length)];
  for (let system = 0; system < systems; system += 1)
    sizes.forEach((size, task) => {
      const there = scored[system * sizes.length + task];
      ofSystem[system] += size - there;
      onTask[task] += size - there;
    });
  const cells = systems * sizes.reduce((sum, size) => sum + size, 0);
  return { cells, missing: onTask.reduce((sum, one) => sum + one, 0), ofSystem, onTask };
}

/** How much of a cell there is: 0 for nothing, 4 for all, 1 to 3 for parts. */
export function shadeOf(there: number, size: number): number {
  if (there === 0) return 0;
  return there >= size ? 4 : 1 + Math.min(Math.floor((3 * there) / size), 2);
}
