/** Ranks that are written on an axis: the first, some round numbers, and the last, with so many steps of room before it. */
export function ranksOnAxis(low: number, high: number, room = 0.5): number[] {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => (high - low + 1) / size <= 5) ?? 1000;
  const from = Math.ceil((low + step / 2) / step);
  const between = Array.from({ length: Math.floor(high / step) - from + 1 }, (_, at) => (from + at) * step);
  return [...new Set([low, ...between.filter((rank) => rank <= high - room * step), high])];
}
