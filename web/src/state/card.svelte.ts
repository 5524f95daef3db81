/** The card of a row or cell: the numbers behind it, while the pointer is there or until it is closed. */

import type { CellFacts } from '../text/cell';
import type { Column } from './columns.svelte';
import type { Leaderboard } from './leaderboard.svelte';

export interface Spot {
  readonly system: number;
  readonly column: Column | null;
  /** Where on the screen. */
  readonly x: number;
  readonly y: number;
  readonly byKey?: boolean;
}

interface TaskFacts {
  readonly task: number;
  readonly name: string;
  /** Share of the others beaten; NaN where the ranking leaves the task out. */
  readonly share: number;
  /** In the units of the task; NaN where there is no score. */
  readonly mean: number;
  /** By itself and by its group. */
  readonly weight: number;
  /** What it adds to the score: these add up to it. */
  readonly adds: number;
}

/** Tasks that a card lists, those first that add most. */
const LISTED = 60;

export class Card {
  /** Where the pointer is, and what was clicked. */
  over: Spot | null = $state.raw(null);
  open: Spot | null = $state.raw(null);
  readonly spot: Spot | null = $derived(this.open ?? this.over);
  readonly #board: Leaderboard;

  readonly #all: readonly TaskFacts[] = $derived.by(() => {
    const { data, weights, columns } = this.#board;
    const { spot } = this;
    if (spot === null) return [];
    const parts = this.#board.parts(spot.system);
    return data.tasks.map(({ name }, task) => {
      const at = spot.system * data.tasks.length + task;
      const { adds } = parts[task];
      return { task, name, share: columns.beaten[at], mean: data.means[at], weight: weights[task], adds };
    });
  });
  /** All tasks, or those of the group whose cell it is. */
  readonly #wanted: readonly TaskFacts[] = $derived.by(() => {
    const column = this.spot?.column;
    return column?.isGroup === true ? column.tasks.map((task) => this.#all[task]) : this.#all;
  });
  readonly tasks: readonly TaskFacts[] = $derived.by(() =>
    [...this.#wanted].sort((one, other) => other.adds - one.adds || 0 || one.task - other.task).slice(0, LISTED),
  );
  /** How many tasks are not listed. */
  readonly more: number = $derived(this.#wanted.length - this.tasks.length);
  /** The cell, where it is one. */
  readonly cell: CellFacts | null = $derived.by(() => {
    const { spot } = this;
    if (spot?.column == null) return null;
    const { columns, chosen } = this.#board;
    const { name, tasks, isGroup, group } = spot.column;
    const own = tasks.map((task) => this.#all[task]);
    return {
      name,
      of: tasks.length,
      scored: columns.scored(spot.column, spot.system),
      share: columns.share(spot.column, spot.system),
      mean: isGroup ? NaN : own[0].mean,
      weight: columns.weight(spot.column),
      by: isGroup || group < 0 ? 1 : chosen.groups[group],
      part: columns.part(spot.column),
      adds: own.reduce((sum, { adds }) => sum + adds, 0),
      ofBattles: this.#board.data.shares.battles !== null,
    };
  });

  constructor(board: Leaderboard) {
    this.#board = board;
  }

  close(): void {
    this.open = this.over = null;
  }
}
