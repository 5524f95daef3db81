/** Exact tests of few units, as `podium.ranking.few`: the signs of differences are flipped, whole units at a time. */

import { signFlips } from './draw';

/** Up to so many units, no other test is good enough. */
export const FEW_UNITS = 50;

/** Up to so many units, pairs are separated by flips. */
export const FLIPPED_UNITS = 200;

/** Up to so many units, signs are flipped in all ways; of more, in so many ways, all but the first by chance. */
const COUNTED = 14;
const BY_CHANCE = 5000;

/** Flips times pairs above which fewer flips are made, and the fewest that are. */
const AT_MOST = 2e9;
const AT_LEAST = 1000;

/** Systems whose pairs are looked at together. */
const ROWS = 32;

/** A statistic that is larger by this share is as large; and a sum of squares of this share is none. */
const ROUNDING = 1e-9;
const NOTHING = 1e-24;

/** Which systems a test separates. */
export interface Separated {
  /** Row-major systems × systems, symmetric: of all pairs together. */
  readonly joint: Uint8Array;
  /** Row-major: of the pairs of the system of the row, two-sided. */
  readonly own: Uint8Array;
  /** Whether another system is better than each, one-sided, among its pairs. */
  readonly beaten: Uint8Array;
}

/** What both tests say. */
export function both(one: Separated, other: Separated): Separated {
  const and = (left: Uint8Array, right: Uint8Array): Uint8Array => left.map((value, at) => value & right[at]);
  return {
    joint: and(one.joint, other.joint),
    own: and(one.own, other.own),
    beaten: and(one.beaten, other.beaten),
  };
}

/** Sums of what units add to each system under all flips, the first of which flips nothing. */
interface Flips {
  readonly systems: number;
  readonly number: number;
  /** Row-major flips × systems. */
  readonly sums: Float64Array;
  /** Row-major systems × systems: 1 / √Σ d² of each pair; 0 of those that do not differ. */
  readonly inverse: Float64Array;
}

/**
 * Separate systems by flips of whole units (Fisher 1935), stepping down (Romano & Wolf 2005).
 *
 * `values` is row-major units × systems, what each unit adds to each score; α is the error of pairs judged together;
 * `key` is that of signs by chance.
 */
export function flipped(values: Float64Array, systems: number, alpha: number, key: string): Separated {
  const flips = flipsOf(values, systems, key);
  const joint = new Uint8Array(systems * systems);
  const own = new Uint8Array(systems * systems);
  const beaten = new Uint8Array(systems);
  const largest = new Float64Array(flips.number);
  for (let first = 0; first < systems; first += ROWS) {
    const rows = Math.min(ROWS, systems - first);
    const { above, below } = extremes(flips, first, rows);
    for (let one = first; one < first + rows; one += 1) {
      const from = (one - first) * flips.number;
      const [up, down] = [above, below].map((all) => all.subarray(from, from + flips.number));
      const cut = up[0] * (1 - ROUNDING);
      beaten[one] = reaching(up, cut) + reaching(down, cut) <= mostOf(2 * flips.number, alpha) ? 1 : 0;
      for (let flip = 0; flip < flips.number; flip += 1) {
        if (down[flip] > up[flip]) up[flip] = down[flip];
        if (up[flip] > largest[flip]) largest[flip] = up[flip];
      }
      const others = Array.from({ length: systems }, (_, other) => other).filter((other) => other !== one);
      const pairs = { one: new Int32Array(others.length).fill(one), other: Int32Array.from(others) };
      stepped(flips, pairs, up, alpha).forEach((found, at) => (own[one * systems + others[at]] = found));
    }
  }
  const all = allPairs(systems);
  stepped(flips, all, largest, alpha).forEach((found, at) => {
    const [left, right] = [all.one[at], all.other[at]];
    joint[left * systems + right] = joint[right * systems + left] = found;
  });
  return { joint, own, beaten };
}

function flipsOf(values: Float64Array, systems: number, key: string): Flips {
  const centred = centredUnits(values, systems);
  const units = values.length / systems;
  const number =
    units <= COUNTED ? 2 ** (units - 1) : Math.min(Math.max(Math.floor(AT_MOST / systems ** 2), AT_LEAST), BY_CHANCE);
  const signs = units <= COUNTED ? allSigns(units) : signFlips(key, units, number);
  const sums = new Float64Array(number * systems);
  for (let flip = 0; flip < number; flip += 1) {
    const to = flip * systems;
    for (let unit = 0; unit < units; unit += 1) {
      const [sign, from] = [signs[unit * number + flip], unit * systems];
      for (let system = 0; system < systems; system += 1) sums[to + system] += sign * centred[from + system];
    }
  }
  return { systems, number, sums, inverse: inverseLengths(centred, systems) };
}

/** Less the mean of each unit, and near 1, so that squares neither overflow nor vanish. */
function centredUnits(values: Float64Array, systems: number): Float64Array {
  const centred = Float64Array.from(values);
  let size = 0;
  for (let from = 0; from < values.length; from += systems) {
    let mean = 0;
    for (let at = from; at < from + systems; at += 1) mean += values[at] / systems;
    for (let at = from; at < from + systems; at += 1) size = Math.max(size, Math.abs((centred[at] -= mean)));
  }
  const unit = size > 0 ? 2 ** Math.floor(Math.log2(size)) : 1;
  return centred.map((value) => value / unit);
}

/** Row-major units × flips: all ways to set signs, the last fixed, since all may be turned together. */
function allSigns(units: number): Int8Array {
  const number = 2 ** (units - 1);
  return Int8Array.from({ length: units * number }, (_, at) =>
    ((at % number) >> Math.floor(at / number)) & 1 ? -1 : 1,
  );
}

function inverseLengths(values: Float64Array, systems: number): Float64Array {
  const inverse = new Float64Array(systems * systems);
  const sizes = new Float64Array(systems);
  values.forEach((value, at) => (sizes[at % systems] += value * value));
  for (let one = 0; one < systems; one += 1) {
    for (let other = one + 1; other < systems; other += 1) {
      let squares = 0;
      for (let from = 0; from < values.length; from += systems)
        squares += (values[from + one] - values[from + other]) ** 2;
      if (squares > NOTHING * (sizes[one] + sizes[other]))
        inverse[one * systems + other] = inverse[other * systems + one] = 1 / Math.sqrt(squares);
    }
  }
  return inverse;
}

/**
 * Row-major systems × flips, of some systems: by how much the best of the others is above each, and the worst of them
 * below.
 */
function extremes(
  { systems, number, sums, inverse }: Flips,
  first: number,
  rows: number,
): { above: Float64Array; below: Float64Array } {
  const [above, below] = [new Float64Array(rows * number), new Float64Array(rows * number)];
  for (let flip = 0; flip < number; flip += 1) {
    const from = flip * systems;
    for (let at = 0; at < rows; at += 1) {
      const [own, row] = [sums[from + first + at], (first + at) * systems];
      let [most, least] = [0, 0];
      for (let other = 0; other < systems; other += 1) {
        const t = (sums[from + other] - own) * inverse[row + other];
        if (t > most) most = t;
        else if (t < least) least = t;
      }
      above[at * number + flip] = most;
      below[at * number + flip] = -least;
    }
  }
  return { above, below };
}

/** Pairs of systems, by their places. */
interface Pairs {
  readonly one: Int32Array;
  readonly other: Int32Array;
}

function allPairs(systems: number): Pairs {
  const number = (systems * (systems - 1)) / 2;
  const pairs = { one: new Int32Array(number), other: new Int32Array(number) };
  let at = 0;
  for (let one = 0; one < systems; one += 1)
    for (let other = one + 1; other < systems; other += 1) {
      pairs.one[at] = one;
      pairs.other[at++] = other;
    }
  return pairs;
}

/**
 * Which of some pairs are significant, stepping down: 1 of each that is.
 *
 * `bound` is the largest that any of them comes to under each flip. Once the pairs with the largest leads are found, the
 * others have less to beat. How much less is looked at only under flips whose bound reaches the next lead, and only
 * until too many of them do; the others cannot matter.
 */
function stepped(flips: Flips, pairs: Pairs, bound: Float64Array, alpha: number): Uint8Array {
  const { systems, number, sums, inverse } = flips;
  const lengths = Float64Array.from(pairs.one, (one, at) => inverse[one * systems + pairs.other[at]]);
  const leads = lengths.map(
    (length, at) => Math.abs(sums[pairs.one[at]] - sums[pairs.other[at]]) * length * (1 - ROUNDING),
  );
  const order = Int32Array.from(leads.keys()).sort((one, other) => leads[other] - leads[one]);
  const found = new Uint8Array(leads.length);
  const most = mostOf(number, alpha);
  let done = 0;
  for (;;) {
    const needed = nthLargest(bound, most);
    while (done < order.length && leads[order[done]] > needed) found[order[done++]] = 1;
    if (done === order.length || leads[order[done]] <= 0) return found;
    const cut = leads[order[done]];
    let reached = 0;
    for (let flip = 0; flip < number; flip += 1) {
      if (bound[flip] < cut) continue;
      const from = flip * systems;
      let largest = 0;
      for (let at = done; at < order.length && largest < cut; at += 1) {
        const pair = order[at];
        const t = Math.abs(sums[from + pairs.one[pair]] - sums[from + pairs.other[pair]]) * lengths[pair];
        if (t > largest) largest = t;
      }
      if (largest < cut) bound[flip] = largest;
      else if (++reached > most) return found;
    }
  }
}

/** So many flips may come to as much. */
function mostOf(flips: number, alpha: number): number {
  return Math.floor(alpha * flips + ROUNDING);
}

function reaching(values: Float64Array, cut: number): number {
  let number = 0;
  for (const value of values) if (value >= cut) number += 1;
  return number;
}

/** The largest number but n (Hoare 1961). */
function nthLargest(values: Float64Array, n: number): number {
  const left = Float64Array.from(values);
  let [low, high] = [0, left.length - 1];
  while (low < high) {
    const pivot = left[(low + high) >> 1];
    let [up, down] = [low, high];
    while (up <= down) {
      while (left[up] > pivot) up += 1;
      while (left[down] < pivot) down -= 1;
      if (up <= down) {
        const swapped = left[up];
        left[up++] = left[down];
        left[down--] = swapped;
      }
    }
    if (n <= down) high = down;
    else if (n >= up) low = up;
    else return left[n];
  }
  return left[n];
}
