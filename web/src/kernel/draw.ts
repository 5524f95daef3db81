/** Random numbers that hang on keys and on nothing else, as `podium.tally.draw`: SplitMix64 in halves of 32 bits. */

/** 64 bits. */
interface Word {
  high: number;
  low: number;
}

/** Distance between the states of successive draws. */
const STEP: Word = { high: 0x9e3779b9, low: 0x7f4a7c15 };

/** How many of the 65,536 values of 16 bits stand for 0, 1, 2, …: Poisson(1). */
const COUNTS = [24_110, 24_109, 12_054, 4_018, 1_005, 200, 35, 5];

/** Draws that one hash yields. */
const LANES = 4;

const POISSON = new Uint8Array(65_536);
COUNTS.reduce((first, count, number) => {
  POISSON.fill(number, first, first + count);
  return first + count;
}, 0);

/** Keys of the instances of a task, high and low halves, from its own key in hexadecimal digits. */
export interface Keys {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

export function instanceKeys(key: string, length: number): Keys {
  const keys = { high: new Uint32Array(length), low: new Uint32Array(length) };
  const state = wordOf(key);
  const word = { high: 0, low: 0 };
  for (let at = 0; at < length; at += 1) {
    add(state, STEP);
    word.high = state.high;
    word.low = state.low;
    mix(word);
    keys.high[at] = word.high;
    keys.low[at] = word.low;
  }
  return keys;
}

/** Numbers of 32 bits, one after the other. */
export function draws(key: string): () => number {
  const [state, word] = [wordOf(key), wordOf(key)];
  return () => {
    add(state, STEP);
    word.high = state.high;
    word.low = state.low;
    mix(word);
    return word.high;
  };
}

/** How often each instance is drawn in four successive replicates, the group of that number. */
export function drawFour({ high, low }: Keys, group: number): readonly Uint8Array[] {
  const drawn = Array.from({ length: LANES }, () => new Uint8Array(high.length));
  const step = { high: 0, low: 0 };
  for (let times = 0; times <= group; times += 1) add(step, STEP);
  const word = { high: 0, low: 0 };
  for (let at = 0; at < high.length; at += 1) {
    word.high = high[at];
    word.low = low[at];
    add(word, step);
    mix(word);
    drawn[0][at] = POISSON[word.low & 0xffff];
    drawn[1][at] = POISSON[word.low >>> 16];
    drawn[2][at] = POISSON[word.high & 0xffff];
    drawn[3][at] = POISSON[word.high >>> 16];
  }
  return drawn;
}

/**
 * Row-major names × replicates: how often each of some names is drawn, of a number of them with replacement, by the key
 * of draws of tasks.
 */
export function drawNames(key: string, names: number, size: number, replicates: number): Float64Array {
  const drawn = new Float64Array(names * replicates);
  const state = wordOf(key);
  const [own, slot, word] = [wordOf(key), wordOf(key), wordOf(key)];
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    add(state, STEP);
    own.high = state.high;
    own.low = state.low;
    mix(own);
    slot.high = own.high;
    slot.low = own.low;
    for (let at = 0; at < size; at += 1) {
      add(slot, STEP);
      word.high = slot.high;
      word.low = slot.low;
      mix(word);
      drawn[Math.floor((word.high * names) / 2 ** 32) * replicates + replicate] += 1;
    }
  }
  return drawn;
}

/** Signs that were made last, of two numbers of flips at most. */
let flips: { key: string; units: number; number: number; signs: Int8Array }[] = [];

/** Row-major units × flips: signs of units by their places; the first flip changes none. */
export function signFlips(key: string, units: number, number: number): Int8Array {
  flips = flips.filter((made) => made.key === key && made.units === units);
  const known = flips.find((made) => made.number === number);
  if (known) return known.signs;
  const signs = new Int8Array(units * number);
  const { high, low } = instanceKeys(key, units);
  const word = { high: 0, low: 0 };
  const step = { high: 0, low: 0 };
  for (let first = 0; first < number; first += 64) {
    add(step, STEP);
    for (let unit = 0; unit < units; unit += 1) {
      word.high = high[unit];
      word.low = low[unit];
      add(word, step);
      mix(word);
      for (let bit = 0; bit < Math.min(64, number - first); bit += 1) {
        const half = bit < 32 ? word.low : word.high;
        signs[unit * number + first + bit] = (half >>> (bit & 31)) & 1 ? -1 : 1;
      }
    }
  }
  for (let unit = 0; unit < units; unit += 1) signs[unit * number] = 1;
  flips = [{ key, units, number, signs }, ...flips.slice(0, 1)];
  return signs;
}

/** From hexadecimal digits. */
function wordOf(key: string): Word {
  return { high: parseInt(key.slice(0, 8), 16), low: parseInt(key.slice(8), 16) };
}

function add(word: Word, other: Word): void {
  const low = word.low + other.low;
  word.high = (word.high + other.high + (low > 0xffffffff ? 1 : 0)) >>> 0;
  word.low = low >>> 0;
}

/** Each bit of the result depends on all: SplitMix64's output function. */
function mix(word: Word): void {
  shifted(word, 30);
  multiply(word, 0xbf58476d, 0x1ce4e5b9);
  shifted(word, 27);
  multiply(word, 0x94d049bb, 0x133111eb);
  shifted(word, 31);
}

/** x ^ (x >> n), for n below 32. */
function shifted(word: Word, by: number): void {
  const { high, low } = word;
  word.low = (low ^ ((low >>> by) | (high << (32 - by)))) >>> 0;
  word.high = (high ^ (high >>> by)) >>> 0;
}

/** Product modulo 2⁶⁴. */
function multiply(word: Word, high: number, low: number): void {
  const one = word.low;
  word.high = (upper(one, low) + Math.imul(word.high, low) + Math.imul(one, high)) >>> 0;
  word.low = Math.imul(one, low) >>> 0;
}

/** Upper half of the product of two halves. */
function upper(one: number, other: number): number {
  const [a, b, c, d] = [one & 0xffff, one >>> 16, other & 0xffff, other >>> 16];
  const middle = b * c + ((a * c) >>> 16);
  return b * d + Math.floor(middle / 65536) + ((a * d + (middle & 0xffff)) >>> 16);
}
