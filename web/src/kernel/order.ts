/** The ballot of a task as an order of systems, as `podium.tally.position` counts it. */

export interface Ties {
  /** Values this near to each other are one, and such steps chain: they differ by rounding. */
  readonly near: number;
  /** Values that differ by no more tie. */
  readonly reach: number;
}

/**
 * Expected share of the others beaten on one ballot; ½ for a system without a value (NaN).
 *
 * A system of midrank r among the k with a value has the expected rank r (N + 1) / (k + 1).
 */
export function sharesBeaten(values: Float64Array, { near, reach }: Ties): Float64Array {
  const n = values.length;
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const best = chained(sorted, near);
  const k = sorted.length;
  return values.map((value) => {
    if (Number.isNaN(value) || n < 2) return 0.5;
    const own = best[firstAbove(sorted, value) - 1];
    const above = k - firstAbove(best, own + reach);
    const midrank = (above - firstReaching(best, own, reach) + k + 1) / 2;
    return (n - midrank * ((n + 1) / (k + 1))) / (n - 1);
  });
}

/** Sorted values with the highest of its chain for each. */
function chained(sorted: Float64Array, near: number): Float64Array {
  const best = Float64Array.from(sorted);
  for (let at = best.length - 2; at >= 0; at -= 1) if (sorted[at + 1] - sorted[at] <= near) best[at] = best[at + 1];
  return best;
}

/** How many sorted values are so far below this that they do not reach it. */
function firstReaching(sorted: Float64Array, value: number, reach: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value > sorted[middle] + reach) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many sorted values are at most this. */
export function firstAbove(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
