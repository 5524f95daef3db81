/** Systems by score and cost, as `podium.pareto`: who is surely, perhaps or surely not on the frontier. */

export type Place = 'surely' | 'perhaps' | 'dominated';

export interface Frontier {
  /** Systems with a rank and a cost: those surely on the frontier first, and of each kind the cheapest first. */
  readonly order: readonly number[];
  /** By system; of those that are not in the order it says nothing. */
  readonly places: readonly Place[];
  /** The best of the systems that surely dominate a system; −1 for none. */
  readonly by: readonly number[];
  /** Of the order those on the frontier of the numbers, the cheapest first. */
  readonly observed: readonly number[];
}

interface Asked {
  /** Row-major: 1 where one is surely better than the other; null where nothing is sure. */
  readonly better: Uint8Array | null;
  /** 1 is best, 0 where a system has none. */
  readonly rank: ArrayLike<number>;
  /** NaN where it is not known. */
  readonly costs: readonly number[];
  readonly higherIsBetter: boolean;
}

const PLACES = ['surely', 'perhaps', 'dominated'] as const;

export function frontierOf({ better, rank, costs, higherIsBetter }: Asked): Frontier {
  const n = costs.length;
  const cost = higherIsBetter ? costs.map((one) => -one) : costs;
  const known = Array.from(cost.keys()).filter((at) => rank[at] > 0 && !Number.isNaN(cost[at]));
  known.sort((one, other) => rank[one] - rank[other] || one - other);
  const surely = (one: number, other: number): boolean => better?.[one * n + other] === 1;
  const by = cost.map((own, at) => known.find((one) => surely(one, at) && cost[one] <= own) ?? -1);
  const places = cost.map((own, at): Place => {
    if (by[at] >= 0) return 'dominated';
    return known.some((one) => one !== at && cost[one] <= own && !surely(at, one)) ? 'perhaps' : 'surely';
  });
  const isObserved = (at: number): boolean =>
    !known.some(
      (one) => cost[one] <= cost[at] && rank[one] <= rank[at] && (cost[one] < cost[at] || rank[one] < rank[at]),
    );
  const cheapest = [...known].sort((one, other) => cost[one] - cost[other]);
  const order = PLACES.flatMap((place) => cheapest.filter((at) => places[at] === place));
  return { order, places, by, observed: cheapest.filter(isObserved) };
}
