/** The ranks of a system by several methods, in words. */

/** The best and the worst rank of a system, and by which method. */
export function rangeInWords(system: string, ranks: readonly number[], methods: readonly string[]): string {
  const [best, worst] = [Math.min(...ranks), Math.max(...ranks)];
  if (best === worst) return `${system}: rank ${best} by all methods.`;
  const by = (rank: number): string => methods[ranks.indexOf(rank)];
  return `${system}: at best rank ${best}, by ${by(best)}; at worst ${worst}, by ${by(worst)}.`;
}
