/** What the table holds and lacks: the order in which tasks are listed, and the cell that is looked at. */

import { holesOf, type Holes } from '../kernel/hole';
import { compareText } from '../kernel/place';
import type { PageData } from '../transport/page-data';
import type { Leaderboard } from './leaderboard.svelte';

export type TaskColumn = 'name' | 'better' | 'weight' | 'instances' | 'missing' | 'tied' | 'near';

interface TaskRow {
  readonly task: number;
  readonly name: string;
  readonly better: 'higher' | 'lower';
  readonly weight: number;
  readonly instances: number;
  readonly missing: number;
  /** Share of missing scores, and of pairs that tie; NaN without pairs. */
  readonly lacks: number;
  readonly tied: number;
  readonly near: number;
}

export class DataBoard {
  readonly data: PageData;
  readonly holes: Holes = $derived.by(() => {
    const { systems, tasks, scored } = this.data;
    return holesOf({ systems: systems.length, sizes: tasks.map(({ instances }) => instances), scored });
  });
  readonly #leaderboard: Leaderboard;
  /** By which column tasks are sorted, and whether from the largest on; null for the order of the table. */
  sort: { readonly by: TaskColumn; readonly falling: boolean } | null = $state.raw(null);
  /** The cell that is looked at; −1 for none. */
  system = $state(-1);
  task = $state(-1);
  readonly rows: readonly TaskRow[] = $derived.by(() =>
    this.data.tasks.map(({ name, weight, higherIsBetter, instances, pairs, tied, near }, task) => {
      const missing = this.holes.onTask[task];
      return {
        ...{ task, name, weight, instances, missing, near },
        better: higherIsBetter ? 'higher' : 'lower',
        lacks: missing / (instances * this.data.systems.length),
        tied: tied / pairs,
      };
    }),
  );
  readonly sorted: readonly TaskRow[] = $derived.by(() => this.#sorted());

  constructor(data: PageData, leaderboard: Leaderboard) {
    this.data = data;
    this.#leaderboard = leaderboard;
  }

  /** Systems in the order of the leaderboard. */
  get systems(): readonly number[] {
    return this.#leaderboard.order;
  }

  /** On how many instances of a task a system has a score. */
  scored(system: number, task: number): number {
    return this.data.scored[system * this.data.tasks.length + task];
  }

  /** Sort by a column, or turn its order. */
  sortBy(by: TaskColumn): void {
    const falling = this.sort?.by === by ? !this.sort.falling : by !== 'name' && by !== 'better';
    this.sort = { by, falling };
  }

  #sorted(): readonly TaskRow[] {
    const { sort, rows } = this;
    if (sort === null) return rows;
    const sign = sort.falling ? -1 : 1;
    return [...rows].sort((one, other) => sign * compared(one[sort.by], other[sort.by]) || one.task - other.task);
  }
}

/** Numbers by size, those that do not exist as the smallest; texts as Python sorts. */
function compared(one: number | string, other: number | string): number {
  if (typeof one === 'string') return compareText(one, String(other));
  return (Number.isNaN(one) ? -1 : one) - (Number.isNaN(other) ? -1 : Number(other));
}
