/** Ranks of the same systems by several methods, or from step to step, and where they stand in figures. */

export interface Ranks {
  readonly systems: number;
  /** Row-major methods or steps × systems: competition ranks, 1 is best, and 0 where a system has none. */
  readonly ranks: ArrayLike<number>;
}

/** Ranks of a system in all rows. */
export function ranksOf({ systems, ranks }: Ranks, system: number): number[] {
  return Array.from({ length: ranks.length / systems }, (_, row) => ranks[row * systems + system]);
}

/** Competition ranks by a method among some systems only. */
export function ranksAmong({ systems, ranks }: Ranks, method: number, among: readonly number[]): number[] {
  const own = among.map((system) => ranks[method * systems + system]);
  return own.map((rank) => 1 + own.reduce((better, other) => better + (other < rank ? 1 : 0), 0));
}

/** Row of each label beside the first of some rankings: systems that share a rank are ordered by the next ones. */
export function slots(rows: readonly (readonly number[])[], compare: (one: number, other: number) => number): number[] {
  const order = Array.from(rows[0].keys()).sort((one, other) => {
    const apart = rows.find((row) => row[one] !== row[other]);
    return apart === undefined ? compare(one, other) : apart[one] - apart[other];
  });
  const found = new Array<number>(order.length);
  order.forEach((system, place) => (found[system] = place + 1));
  return found;
}

/** Ranks more than there are drawn systems up to which each has a row, and rows for every doubling of the rank below. */
const [MORE, DOUBLING] = [12, 4];

/** Rows between two numbers of the axis, at least. */
const BETWEEN = 2;

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
