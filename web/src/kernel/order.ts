/** The ballot of a task as an order of systems, as `podium.tally.position` counts it. */

export interface Ties {
  /** Values this near to each other are one, and such steps chain: they differ by rounding. */
  readonly near: number;
  /** Values that differ by no more tie. */
  readonly reach: number;
}

/** Up to so many numbers, they are put in order by insertion alone. */
const FEW = 32;

/**
 * Expected share of the others beaten on one ballot; ½ for a system without a value (NaN).
 *
 * A system of midrank r among the k with a value has the expected rank r (N + 1) / (k + 1).
 */
export function sharesBeaten(values: Float64Array, { near, reach }: Ties): Float64Array {
  const n = values.length;
  const shares = new Float64Array(n).fill(0.5);
  if (n < 2) return shares;
  const order = ascending(values);
  const k = order.length;
  const best = new Float64Array(k); // of the chain of each, the highest
  for (let at = k - 1; at >= 0; at -= 1) {
    const value = values[order[at]];
    best[at] = at + 1 < k && values[order[at + 1]] - value <= near ? best[at + 1] : value;
  }
  let [below, upTo] = [0, 0];
  for (let at = 0; at < k; at += 1) {
    const own = best[at];
    while (own > best[below] + reach) below += 1;
    while (upTo < k && best[upTo] <= own + reach) upTo += 1;
    const midrank = (k - upTo - below + k + 1) / 2;
    shares[order[at]] = (n - midrank * ((n + 1) / (k + 1))) / (n - 1);
  }
  return shares;
}

/** Places of numbers, the lowest first, without NaN; a sort with a comparison takes ten times as long. */
export function ascending(values: Float64Array): Int32Array {
  const n = values.length;
  const order = new Int32Array(n);
  let known = 0;
  for (let at = 0; at < n; at += 1) if (!Number.isNaN(values[at])) order[known++] = at;
  if (known > FEW) {
    const bits = new Uint32Array(values.buffer, values.byteOffset, 2 * n);
    const keys = new BigUint64Array(known);
    const halves = new Uint32Array(keys.buffer);
    for (let at = 0; at < known; at += 1) {
      const upper = bits[2 * order[at] + 1]; // grows with the number, once its sign is turned
      halves[2 * at] = order[at];
      halves[2 * at + 1] = upper ^ (upper >>> 31 === 1 ? 0xffffffff : 0x80000000);
    }
    keys.sort();
    for (let at = 0; at < known; at += 1) order[at] = halves[2 * at];
  }
  for (let at = 1; at < known; at += 1) {
    const own = order[at];
    let to = at;
    while (to > 0 && values[order[to - 1]] > values[own]) order[to] = order[--to];
    order[to] = own;
  }
  return order.subarray(0, known);
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
