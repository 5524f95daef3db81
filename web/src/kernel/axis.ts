/** Axes of figures: from where to where, where numbers and ranks stand on them, and which of these are written. */

interface Span {
  readonly low: number;
  readonly high: number;
}

/** Ends of intervals may stick out of their middle half by so many times its length; the axis ends there. */
const FAR = 4;

/** A share of the axis beyond what is on it. */
const PAD = 0.03;

/** An axis that holds 0 and all intervals, without ends that are far from the others. */
export function spanOf(spans: readonly Span[]): Span {
  const ends = spans.flatMap(({ low, high }) => [low, high]).filter(Number.isFinite);
  const sorted = [...ends].sort((one, other) => one - other);
  const quarter = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const middle = quarter(0.75) - quarter(0.25);
  const [least, most] =
    middle > 0 ? [quarter(0.25) - FAR * middle, quarter(0.75) + FAR * middle] : [-Infinity, Infinity];
  const low = Math.min(0, Math.max(sorted[0] ?? 0, least));
  const high = Math.max(0, Math.min(sorted.at(-1) ?? 0, most));
  const pad = PAD * (high - low) || 1;
  return { low: low - pad, high: high + pad };
}

/** Multiples of 1, 2 or 5 times a power of ten on an axis, at most so many. */
export function ticksOf({ low, high }: Span, most: number): { values: number[]; places: number } {
  const least = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= least * (1 - 1e-9)) ?? 10 * power;
  const first = Math.ceil(low / step);
  const number = Math.max(Math.floor(high / step) - first + 1, 0);
  const values = Array.from({ length: number }, (_, at) => Number(((first + at) * step).toPrecision(12)));
  return { values, places: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

/** Where numbers stand, if the first of two stands at the one place and the second at the other. */
export function scaled(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
  const length = from[1] - from[0] || 1;
  return (value) => to[0] + ((value - from[0]) / length) * (to[1] - to[0]);
}

/** Of places from the left to the right those that are so far from each other, the last one first of all. */
export function apart(places: readonly number[], room: number): number[] {
  let next = Infinity;
  const kept = Array.from(places.keys())
    .reverse()
    .filter((at) => {
      if (next - places[at] < room) return false;
      next = places[at];
      return true;
    });
  return kept.reverse();
}

/** Move numbers apart as little as possible, so that labels at them do not overlap; order stays. */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = Array.from(wanted.keys()).sort((one, other) => wanted[one] - wanted[other] || one - other);
  const step = Math.min(gap, order.length > 1 ? (high - low) / (order.length - 1) : gap);
  const placed = new Array<number>(wanted.length);
  let before = low - step;
  for (const at of order) before = placed[at] = Math.max(wanted[at], before + step);
  let behind = high + step;
  for (const at of order.reverse()) behind = placed[at] = Math.min(placed[at], behind - step);
  return placed;
}

export function ranksOnAxis(low: number, high: number, room = 0.5): number[] {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => (high - low + 1) / size <= 5) ?? 1000;
  const from = Math.ceil((low + step / 2) / step);
  const between = Array.from({ length: Math.floor(high / step) - from + 1 }, (_, at) => (from + at) * step);
  return [...new Set([low, ...between.filter((rank) => rank <= high - room * step), high])];
}
