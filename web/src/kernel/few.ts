/** Exact tests of few units, as `podium.ranking.few`: the signs of differences are flipped, whole units at a time. */

import { signFlips } from './draw';
import { ascending } from './order';

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

/**
 * How many times as many flips are made, and flips times pairs and scores up to which they are, if chance may decide: if
 * so many standard errors less or more than α separate other systems.
 */
const TIMES_MORE = 10;
const MORE_AT_MOST = 5e7;
const STANDARD_ERRORS = 3;

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
  const units = values.length / systems;
  const number =
    units <= COUNTED ? 2 ** (units - 1) : Math.min(Math.max(Math.floor(AT_MOST / systems ** 2), AT_LEAST), BY_CHANCE);
  const more = Math.min(TIMES_MORE * number, Math.floor(MORE_AT_MOST / (systems * (systems + units))));
  let flips = flipsOf(values, systems, key, number);
  let extremes = extremesOf(flips);
  if (units > COUNTED && more > number) {
    const near = STANDARD_ERRORS * Math.sqrt((alpha * (1 - alpha)) / number);
    const stricter = separated(flips, extremes, Math.max(alpha - near, 0));
    const looser = separated(flips, extremes, Math.min(alpha + near, 1 - 1 / number));
    if (isSame(stricter, looser)) return stricter; // by α, which is between them, the same
    flips = flipsOf(values, systems, key, more);
    extremes = extremesOf(flips);
  }
  return separated(flips, extremes, alpha);
}

function isSame(one: Separated, other: Separated): boolean {
  const same = (left: Uint8Array, right: Uint8Array): boolean => left.every((value, at) => value === right[at]);
  return same(one.joint, other.joint) && same(one.own, other.own) && same(one.beaten, other.beaten);
}

/** Which systems flips separate; `extremes` are those of the flips. */
function separated(flips: Flips, extremes: Float64Array, alpha: number): Separated {
  const { systems, number } = flips;
  const joint = new Uint8Array(systems * systems);
  const own = new Uint8Array(systems * systems);
  const beaten = Uint8Array.from({ length: systems }, (_, one) => (isBeaten(flips, extremes, one, alpha) ? 1 : 0));
  const others = Int32Array.from({ length: systems - 1 }, (_, at) => at + 1); // all but `one`
  const each = new Int32Array(systems - 1);
  for (let one = 0; one < systems; one += 1) {
    if (one > 0) others[one - 1] = one - 1;
    const bound = Float64Array.from({ length: number }, (_, flip) => extremes[flip * systems + one]);
    stepped(flips, { one: each.fill(one), other: others }, bound, alpha).forEach((found, at) => {
      own[one * systems + others[at]] = found;
    });
  }
  const all = allPairs(systems);
  const largest = Float64Array.from({ length: number }, (_, flip) =>
    extremes.subarray(flip * systems, (flip + 1) * systems).reduce((most, one) => (one > most ? one : most), 0),
  );
  stepped(flips, all, largest, alpha).forEach((found, at) => {
    const [left, right] = [all.one[at], all.other[at]];
    joint[left * systems + right] = joint[right * systems + left] = found;
  });
  return { joint, own, beaten };
}

function flipsOf(values: Float64Array, systems: number, key: string, number: number): Flips {
  const centred = centredUnits(values, systems);
  const units = values.length / systems;
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

/** Row-major flips × systems: by how much each differs at most from another. Two flips at once take two thirds of the time. */
function extremesOf({ systems, sums, inverse }: Flips): Float64Array {
  const found = new Float64Array(sums.length);
  for (let first = 0; first < systems; first += ROWS) {
    const last = Math.min(first + ROWS, systems);
    for (let from = 0; from < sums.length; from += 2 * systems) {
      const next = Math.min(from + systems, sums.length - systems); // of an odd number the last one twice
      for (let one = first; one < last; one += 1) {
        const [sum, sumOfNext, row] = [sums[from + one], sums[next + one], one * systems];
        let [most, mostOfNext] = [found[from + one], found[next + one]];
        for (let other = one + 1; other < systems; other += 1) {
          const length = inverse[row + other];
          const t = Math.abs(sums[from + other] - sum) * length;
          const tOfNext = Math.abs(sums[next + other] - sumOfNext) * length;
          if (t > most) most = t;
          if (t > found[from + other]) found[from + other] = t;
          if (tOfNext > mostOfNext) mostOfNext = tOfNext;
          if (tOfNext > found[next + other]) found[next + other] = tOfNext;
        }
        found[from + one] = most;
        found[next + one] = mostOfNext;
      }
    }
  }
  return found;
}

/** Whether the best of the others is above a system by more than under nearly all flips, in both directions. */
function isBeaten(
  { systems, number, sums, inverse }: Flips,
  extremes: Float64Array,
  one: number,
  alpha: number,
): boolean {
  const ends = (flip: number): [number, number] => {
    const [from, row] = [flip * systems, one * systems];
    let [above, below] = [0, 0];
    for (let other = 0; other < systems; other += 1) {
      const t = (sums[from + other] - sums[from + one]) * inverse[row + other];
      if (t > above) above = t;
      else if (-t > below) below = -t;
    }
    return [above, below];
  };
  const cut = ends(0)[0] * (1 - ROUNDING);
  const most = mostOf(2 * number, alpha);
  let reached = 0;
  for (let flip = 0; flip < number && reached <= most; flip += 1)
    if (extremes[flip * systems + one] >= cut) reached += ends(flip).filter((end) => end >= cut).length;
  return reached <= most;
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
  const size = pairs.one.length;
  const given = new Float64Array(size);
  for (let pair = 0; pair < size; pair += 1) {
    const [left, right] = [pairs.one[pair], pairs.other[pair]];
    given[pair] = Math.abs(sums[left] - sums[right]) * inverse[left * systems + right] * (1 - ROUNDING);
  }
  const order = ascending(given).reverse();
  // in this order, since pairs are gone through many times
  const [one, other] = [new Int32Array(size), new Int32Array(size)];
  const [lengths, leads] = [new Float64Array(size), new Float64Array(size)];
  for (let at = 0; at < size; at += 1) {
    const pair = order[at];
    [one[at], other[at], leads[at]] = [pairs.one[pair], pairs.other[pair], given[pair]];
    lengths[at] = inverse[one[at] * systems + other[at]];
  }
  const found = new Uint8Array(size);
  const most = mostOf(number, alpha);
  const stairs = new Map<number, Stair[]>();
  let done = 0;
  for (;;) {
    const needed = nthLargest(bound, most);
    while (done < size && leads[done] > needed) found[order[done++]] = 1;
    if (done === size || leads[done] <= 0) return found;
    const cut = leads[done];
    let reached = 0;
    for (let flip = 0; flip < number; flip += 1) {
      if (bound[flip] < cut) continue;
      const left = stairs.get(flip) ?? stairsOf(flip);
      stairs.set(flip, left);
      while (left.length > 0 && left[left.length - 1].at < done) left.pop();
      bound[flip] = left.length === 0 ? 0 : left[left.length - 1].t;
      if (bound[flip] >= cut && ++reached > most) return found;
    }
  }

  /** Pairs of which none behind comes to more, from the last one to the largest, which none exceeds. */
  function stairsOf(flip: number): Stair[] {
    const [made, from]: [Stair[], number] = [[], flip * systems];
    let largest = 0;
    for (let at = size - 1; at >= done && largest < bound[flip]; at -= 1) {
      const t = Math.abs(sums[from + one[at]] - sums[from + other[at]]) * lengths[at];
      if (t > largest) made.push({ at, t: (largest = t) });
    }
    return made;
  }
}

/** A pair in the order of leads, and what it comes to under a flip. */
interface Stair {
  readonly at: number;
  readonly t: number;
}

/** So many flips may come to as much. */
function mostOf(flips: number, alpha: number): number {
  return Math.floor(alpha * flips + ROUNDING);
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
