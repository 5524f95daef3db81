/** From scores to shared ranks, as `podium.score.place`. */

/** Scores closer than this share of what they were summed from differ by rounding only, and share a rank. */
export const ROUNDING = 1e-12;

/**
 * Dense places, 0 for the highest value, −1 for NaN; neighbours that differ by at most the larger of their reaches are
 * equal, and such steps chain.
 */
export function places(values: Float64Array, reach: Float64Array): Int32Array {
  const order = ranked(values);
  const place = new Int32Array(values.length).fill(-1);
  let current = 0;
  order.forEach((system, index) => {
    if (index > 0) {
      const above = order[index - 1];
      if (values[above] - values[system] > Math.max(reach[above], reach[system])) current += 1;
    }
    place[system] = current;
  });
  return place;
}

/** The place of each of so many systems in an order; 0 of those that are not in it. */
export function placesIn(order: readonly number[], systems: number): Int32Array {
  const place = new Int32Array(systems);
  order.forEach((system, at) => (place[system] = at));
  return place;
}

/** Systems with a score, highest first. */
function ranked(values: Float64Array): number[] {
  const order = Array.from(values.keys()).filter((system) => !Number.isNaN(values[system]));
  return order.sort((one, other) => values[other] - values[one] || one - other);
}

/** Competition ranks (1, 2, 2, 4) of dense places: 1 plus the number of better values; 0 of the unranked. */
export function competitionRanks(place: Int32Array): Int32Array {
  const sizes = sizesOf(place);
  let before = 0;
  const first = sizes.map((size) => {
    before += size;
    return before - size + 1;
  });
  return place.map((at) => (at < 0 ? 0 : first[at]));
}

/** How many values share each place. */
function sizesOf(place: Int32Array): number[] {
  const sizes: number[] = [];
  for (const at of place) if (at >= 0) sizes[at] = (sizes[at] ?? 0) + 1;
  return sizes;
}

/** Systems in order: best first, equals by name, the unranked last. */
export function bestFirst(place: Int32Array, names: readonly string[]): number[] {
  const at = (system: number): number => (place[system] < 0 ? names.length : place[system]);
  const byName = (one: number, other: number): number => compareText(names[one], names[other]);
  return Array.from(place.keys()).sort((one, other) => at(one) - at(other) || byName(one, other));
}

/** Order of code points, as Python sorts; that of JavaScript differs beyond U+FFFF. */
export function compareText(one: string, other: string): number {
  const left = Array.from(one, (letter) => letter.codePointAt(0) ?? 0);
  const right = Array.from(other, (letter) => letter.codePointAt(0) ?? 0);
  for (let index = 0; index < Math.min(left.length, right.length); index += 1)
    if (left[index] !== right[index]) return left[index] - right[index];
  return left.length - right.length;
}
