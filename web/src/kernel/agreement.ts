/** Rankings of the same systems side by side, as `podium.agreement.view` draws them. */

export interface Rankings {
  readonly systems: number;
  readonly methods: number;
  /** Row-major methods × systems: competition ranks, 1 is best. */
  readonly ranks: ArrayLike<number>;
}

/** Ranks of a system by every method. */
export function ranksOf({ systems, methods, ranks }: Rankings, system: number): number[] {
  return Array.from({ length: methods }, (_, method) => ranks[method * systems + system]);
}

/** Competition ranks by a method among some systems only. */
export function ranksAmong({ systems, ranks }: Rankings, method: number, among: readonly number[]): number[] {
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
