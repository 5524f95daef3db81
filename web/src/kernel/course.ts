/** Ranks of systems from step to step, and where they stand. */

export interface Course {
  readonly systems: number;
  readonly steps: number;
  /** Row-major steps × systems; 0 where a system has none. */
  readonly ranks: ArrayLike<number>;
}

/** Ranks more than there are drawn systems up to which each has a row, and rows for every doubling of the rank below. */
const [MORE, DOUBLING] = [12, 4];

/** Rows between two numbers of the axis, at least. */
const BETWEEN = 2;

/** Ranks of a system in all steps. */
export function courseOf({ systems, steps, ranks }: Course, system: number): number[] {
  return Array.from({ length: steps }, (_, step) => ranks[step * systems + system]);
}

/** Where a rank stands on the axis, in rows from the top; far below the drawn systems ranks stand closer. */
export function placeOf(rank: number, drawn: number): number {
  const most = linearTo(drawn);
  return rank <= most ? rank : most + DOUBLING * Math.log2(rank / most);
}

/** The rank from which on the axis becomes denser. */
export function linearTo(drawn: number): number {
  return drawn + MORE;
}

/** Ranks that are written beside the axis: every fifth, and below where they stand closer round ones. */
export function ticksOf(deepest: number, drawn: number): number[] {
  const ticks = [1];
  for (let rank = 5; rank <= Math.min(deepest, linearTo(drawn)); rank += 5) ticks.push(rank);
  for (let size = 10; size <= deepest; size *= 10)
    for (const rank of [size, 2 * size, 5 * size]) {
      const last = ticks[ticks.length - 1];
      if (rank <= deepest && placeOf(rank, drawn) - placeOf(last, drawn) >= BETWEEN) ticks.push(rank);
    }
  return ticks;
}

/** Pieces of a line between gaps: numbers of the steps of each. */
export function pieces(ranks: readonly number[]): number[][] {
  const found: number[][] = [];
  ranks.forEach((rank, step) => {
    if (rank === 0) return;
    if (step > 0 && ranks[step - 1] > 0) found[found.length - 1].push(step);
    else found.push([step]);
  });
  return found;
}
