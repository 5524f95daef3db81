/** Boundaries between splits, as thresholds that can be moved, and how many instances there are of each difficulty. */

import type { Contents, Partition, Recipe } from './customize';
import { firstAbove } from './order';
import { betweenEqualWidths } from './split';

/** Thresholds between splits, from easy to hard; null where the splits overlap, as those at random do. */
export function boundaries(
  { boxes }: Partition,
  { ranges }: Contents,
  { splitting }: Recipe,
  hard: 'low' | 'high',
): number[] | null {
  const { by, marks, count } = splitting;
  const fromEasy = (increasing: readonly number[]): number[] =>
    hard === 'high' ? [...increasing] : [...increasing].reverse();
  if (by === 'thresholds') return fromEasy(marks);
  if (by === 'width' && boxes.length === 1) return fromEasy(betweenEqualWidths(boxes[0].span, count));
  if (by === 'random') return null;
  const found = ranges.slice(1).map(([low, high], at) => {
    const [before, behind] = ranges[at];
    return hard === 'high' ? [behind, low] : [before, high];
  });
  const sign = hard === 'high' ? 1 : -1;
  const apart = found.every(([last, first]) => sign * (first - last) >= 0);
  const between = found.map(([last, first]) => (last + first) / 2);
  // splits that lie in one difficulty have no width of their own
  const distinct = between.every((mark, at) => at === 0 || sign * (mark - between[at - 1]) > 0);
  return apart && distinct ? between : null;
}

/** A threshold moved to a difficulty, kept between its neighbours; all of them, increasing. */
export function moved(from: readonly number[], at: number, to: number, span: readonly [number, number]): number[] {
  const near = (span[1] - span[0]) * 1e-4;
  const others = from.filter((_, other) => other !== at);
  const below = Math.max(span[0], ...from.filter((mark, other) => other !== at && mark < from[at]));
  const above = Math.min(span[1], ...from.filter((mark, other) => other !== at && mark > from[at]));
  return [...others, Math.min(Math.max(to, below + near), above - near)].sort((one, other) => one - other);
}

/** A number with as few digits as a thousandth of a span needs. */
export function rounded(value: number, [low, high]: readonly [number, number]): number {
  const digits = Math.min(Math.max(3 - Math.floor(Math.log10(high - low || 1)), 0), 15);
  return Number(value.toFixed(digits));
}

/** Half way between the next two of some different sorted values, so many steps from a threshold. */
export function stepped(different: Float64Array, threshold: number, steps: number): number {
  const next = Math.min(Math.max(firstAbove(different, threshold) + steps, 1), different.length - 1);
  return Number(((different[next - 1] + different[next]) / 2).toPrecision(12));
}

export interface Bars {
  readonly counts: readonly number[];
  /** Ends of the bars, one more than there are bars, increasing. */
  readonly edges: readonly number[];
}

/** How many instances there are of each difficulty, in bars of equal width. */
export function barsOf(sorted: Float64Array, most: number): Bars {
  const [low, high] = [sorted[0], sorted[sorted.length - 1]];
  const width = (high - low) / most || 1;
  const counts = Array.from({ length: most }, () => 0);
  for (const value of sorted) counts[Math.min(Math.floor((value - low) / width), most - 1)] += 1;
  return { counts, edges: Array.from({ length: most + 1 }, (_, at) => low + at * width) };
}
