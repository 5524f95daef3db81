/** The columns of tasks on the board: groups, which open to their tasks, and tasks in no group. */

import { meanOver, mixOf } from '../kernel/group';
import { cellText } from '../text/number';
import type { Leaderboard } from './leaderboard.svelte';

export interface Column {
  readonly key: string;
  readonly name: string;
  /** What it stands for: one task, or those of a group. */
  readonly tasks: readonly number[];
  /** The group that it is, or that its task is in; −1 for none. */
  readonly group: number;
  readonly isGroup: boolean;
}

/** By what rows are sorted. */
export type Sort =
  | { readonly by: 'rank' }
  | { readonly by: 'name' }
  | { readonly by: 'property'; readonly name: string }
  | { readonly by: 'column'; readonly column: Column };

/** A tier as it stands on the board. */
export interface Band {
  readonly tier: number;
  readonly first: number;
  size: number;
}

export class Columns {
  /** Whether the numbers of cells are scores, or shares of others beaten. */
  numbers: 'score' | 'beaten' = $state('score');
  /** Groups that are open. */
  open: readonly number[] = $state.raw([]);
  /** Groups, and tasks that are in none, in order. */
  readonly folded: readonly Column[];
  readonly shown: readonly Column[] = $derived.by(() =>
    this.folded.flatMap((column) => (this.isOpen(column) ? [column, ...this.within(column)] : [column])),
  );
  readonly #board: Leaderboard;
  /** By how much tasks count in the cells of their groups, which the weights of groups do not change. */
  readonly #mixes: readonly Float64Array[] = $derived.by(() => {
    const { chosen, given, data } = this.#board;
    return data.groups.map(({ tasks }) => mixOf(tasks, chosen.tasks, given));
  });

  /** Row-major systems × tasks: shares of others beaten; NaN where the ranking leaves a task out. */
  readonly beaten: Float64Array = $derived.by(() => {
    const { shares, data, way } = this.#board;
    if (data.shares.battles !== null) return data.means; // shares of battles won
    return way === 'mean' ? shares.map((share, at) => (Number.isNaN(data.means[at]) ? NaN : share)) : shares;
  });

  constructor(board: Leaderboard) {
    this.#board = board;
    const { groups, tasks } = board.data;
    const alone = tasks.map(() => true);
    groups.forEach((group) => group.tasks.forEach((task) => (alone[task] = false)));
    this.folded = [
      ...groups.map(({ name, tasks: own }, group) => ({ key: `*${name}`, name, tasks: own, group, isGroup: true })),
      ...tasks.flatMap((_, task) => (alone[task] ? [this.#of(task, -1)] : [])),
    ];
  }

  get areGroups(): boolean {
    return this.#board.data.groups.length > 0;
  }

  /** The column of a task, or of a group, by name. */
  named(name: string, isGroup: boolean): Column | undefined {
    if (isGroup) return this.folded.find((column) => column.isGroup && column.name === name);
    const task = this.#board.data.tasks.findIndex((own) => own.name === name);
    return task < 0 ? undefined : this.#of(task, -1);
  }

  isOpen({ isGroup, group }: Column): boolean {
    return isGroup && this.open.includes(group);
  }

  /** The tasks of a group. */
  within({ group, tasks }: Column): Column[] {
    return tasks.map((task) => this.#of(task, group));
  }

  toggle({ group }: Column): void {
    this.open = this.open.includes(group) ? this.open.filter((other) => other !== group) : [...this.open, group];
    const { sort } = this.#board;
    if (sort.by === 'column') this.#board.sort = { by: 'column', column: this.visible(sort.column) };
  }

  /** The column itself, or the group that hides it. */
  visible(column: Column): Column {
    if (this.shown.some(({ key }) => key === column.key)) return column;
    return this.folded.find(({ tasks }) => tasks.includes(column.tasks[0])) ?? column;
  }

  /**
   * On how many others a system wins there, as a share; of a group the mean over its tasks, by their weights. NaN where
   * the ranking leaves all of it out.
   */
  share(column: Column, system: number): number {
    const from = system * this.#board.data.tasks.length;
    if (!column.isGroup) return this.beaten[from + column.tasks[0]];
    return meanOver(this.beaten, from, column.tasks, this.#mixes[column.group]);
  }

  /** How the numbers of cells are written in so much room; of groups they are shares, as tasks have units of their own. */
  text(column: Column, room: number): (system: number) => string {
    const { means, systems, tasks } = this.#board.data;
    if (column.isGroup || this.numbers === 'beaten')
      return (system) => `${Math.round(100 * this.share(column, system))}${this.numbers === 'score' ? '%' : ''}`;
    const own = systems.map((_, system) => means[system * tasks.length + column.tasks[0]]);
    const text = cellText(own, room);
    return (system) => text(own[system]);
  }

  /** On how many of its tasks a system has a score. */
  scored({ tasks }: Column, system: number): number {
    const { means, tasks: all } = this.#board.data;
    return tasks.reduce((count, task) => count + (Number.isNaN(means[system * all.length + task]) ? 0 : 1), 0);
  }

  /** Whether it is a task on which lower scores are better. */
  isLower({ isGroup, tasks }: Column): boolean {
    return !isGroup && !this.#board.data.tasks[tasks[0]].higherIsBetter;
  }

  /** Whether nothing of it counts. */
  isSilent({ tasks }: Column): boolean {
    const { silent } = this.#board;
    return tasks.every((task) => silent[task] === '1');
  }

  /** What its bar says; of a task inside a group, before that is multiplied. */
  weight({ isGroup, group, tasks }: Column): number {
    const { chosen } = this.#board;
    return isGroup ? chosen.groups[group] : chosen.tasks[tasks[0]];
  }

  /** What it is called where a group and a task may have one name. */
  label({ isGroup, name }: Column): string {
    return isGroup ? `group ${name}` : name;
  }

  given({ isGroup, tasks }: Column): number {
    return isGroup ? 1 : this.#board.given[tasks[0]];
  }

  /** What a full bar says. */
  most({ isGroup }: Column): number {
    return isGroup ? this.#board.mostOfGroups : this.#board.most;
  }

  /** Whether it weighs as given, and so do its tasks. */
  isAsGiven(column: Column): boolean {
    const { chosen, given } = this.#board;
    return (
      this.weight(column) === this.given(column) && column.tasks.every((task) => chosen.tasks[task] === given[task])
    );
  }

  /** What it weighs of all weight. */
  part({ tasks }: Column): number {
    const { weights, wholeWeight } = this.#board;
    return wholeWeight > 0 ? tasks.reduce((sum, task) => sum + weights[task], 0) / wholeWeight : 0;
  }

  weigh({ isGroup, group, tasks }: Column, weight: number): void {
    if (isGroup) this.#board.weighGroup(group, weight);
    else this.#board.weigh(tasks[0], weight);
  }

  #of(task: number, group: number): Column {
    return { key: String(task), name: this.#board.data.tasks[task].name, tasks: [task], group, isGroup: false };
  }
}
