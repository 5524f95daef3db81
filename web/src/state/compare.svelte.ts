/** Two systems against each other as they are asked for, and the answers. */

import { disagreements, type Disagreement } from '../kernel/disagreement';
import { pairedEffect } from '../kernel/paired';
import { isKept, ownReach, pooled, turning, weighed, type Pooled, type Weighed } from '../kernel/pooling';
import { commonScale, taskTests, type TaskTable, type TaskTests } from '../kernel/task-tests';
import type { Address } from '../text/address';
import {
  compareCommand,
  doubts,
  doubtsOfPooling,
  effectInWords,
  testsInWords,
  unitsOf,
  type NamedEffect,
  type Said,
  type Units,
} from '../text/compare';
import type { Instances } from '../transport/instances';
import type { PageData } from '../transport/page-data';
import type { Leaderboard } from './leaderboard.svelte';

export const SORTS = ['as in the file', 'by effect', 'by weight'] as const;

export type TaskSort = (typeof SORTS)[number];

const TWO_TASKS = 'Tests over tasks need two tasks that score both.';

/** A task of the forest plot; numbers that do not exist are NaN. */
export interface ForestRow {
  readonly task: number;
  readonly name: string;
  readonly n: number;
  readonly control: number;
  readonly treatment: number;
  readonly effect: number;
  readonly low: number;
  readonly high: number;
  readonly weight: number;
  readonly better: number;
  readonly worse: number;
}

export class CompareBoard {
  readonly data: PageData;
  readonly #board: Leaderboard;
  /** Scores of single instances with their names; null where the page holds none. */
  readonly #instances: Instances | null;
  /** Whether there are any. */
  readonly exact: boolean;
  /** What was chosen; −1 for nothing yet. */
  #chosen: readonly [number, number] = $state.raw([-1, -1]);
  sort: TaskSort = $state(SORTS[0]);
  /** Whether rows of the leaderboard led here, so that keys go on from here. */
  arrived = false;
  /** Which task, and who is better there: 1 the treatment, −1 the control, 0 either. */
  task = $state(-1);
  side = $state(0);

  /** Control and treatment: at first the second of the leaderboard, and the first. */
  readonly pair: readonly [number, number] = $derived.by(() => {
    const [control, treatment] = this.#chosen;
    const [first, second] = this.#board.order;
    if (control >= 0 && treatment >= 0) return [control, treatment];
    if (control >= 0) return [control, control === first ? second : first];
    return treatment >= 0 ? [treatment === first ? second : first, treatment] : [second, first];
  });
  readonly names: readonly [string, string] = $derived.by(() => {
    const [control, treatment] = this.pair;
    return [this.data.systems[control], this.data.systems[treatment]];
  });
  /** The effect on every task; none where the page holds no instances. */
  readonly #weighed: Weighed<NamedEffect> = $derived.by(() => weighed(this.#effects()));
  readonly effects: readonly NamedEffect[] = $derived(this.#weighed.tasks);
  readonly #kept: readonly NamedEffect[] = $derived(this.effects.filter(isKept));
  readonly binary: boolean = $derived(this.#kept.length > 0 && this.#kept.every(({ binary }) => binary));
  readonly units: Units = $derived(unitsOf(this.binary));
  readonly #given: readonly [number[], number[], number] = $derived.by(() => [
    this.#kept.map(({ effect }) => effect),
    [...this.#weighed.variances],
    this.data.shares.confidence,
  ]);
  readonly found: Pooled | null = $derived.by(() => (this.#kept.length === 0 ? null : pooled(...this.#given)));
  readonly #table: TaskTable = $derived.by(() => ({
    systems: this.data.systems.length,
    means: this.data.means,
    higherIsBetter: this.data.tasks.map(({ higherIsBetter }) => higherIsBetter),
    weights: [...this.#board.weights],
    rounding: this.data.compare.rounding,
    reach: this.data.compare.reach,
  }));
  /** Whether differences of tasks can stand on one axis. */
  readonly oneScale: boolean = $derived.by(() => this.exact || !Number.isNaN(commonScale(this.#table)));
  readonly tests: TaskTests | null = $derived.by(() => this.#tests());
  readonly rows: readonly ForestRow[] = $derived.by(() => this.#sorted());
  /** The answer, or why there is none. */
  readonly said: Said = $derived.by(() => this.#said());
  readonly notes: readonly string[] = $derived.by(() =>
    this.found === null
      ? []
      : [
          ...doubts(this.effects, this.#instances?.shared ?? 0, this.binary, this.#weighed.alike),
          ...doubtsOfPooling(this.#kept, this.found, turning(...this.#given), this.#weighed.variances),
        ],
  );
  /** The instance whose text is read; null for none. */
  #opened: Disagreement | null = $state.raw(null);
  readonly read: Disagreement | null = $derived.by(() =>
    this.#opened !== null && this.shown.includes(this.#opened) ? this.#opened : null,
  );
  readonly #differing: readonly Disagreement[] = $derived.by(() => this.#disagreements());
  /** Instances on which the two disagree, those first that tell most. */
  readonly shown: readonly Disagreement[] = $derived.by(() =>
    this.#differing.filter(
      ({ task, difference }) =>
        (this.task < 0 || task === this.task) && (this.side === 0 || Math.sign(difference) === this.side),
    ),
  );
  /** On how many each is better. */
  readonly sides: readonly [number, number] = $derived([
    this.#differing.filter(({ difference }) => difference < 0).length,
    this.#differing.filter(({ difference }) => difference > 0).length,
  ]);
  readonly command: string = $derived.by(() =>
    this.data.compare.command === ''
      ? ''
      : compareCommand(
          this.data.compare.command,
          this.names,
          this.data.tasks.map(({ name }) => name),
          this.#board.weights,
        ),
  );

  constructor(data: PageData, instances: Instances | null, board: Leaderboard) {
    this.data = data;
    this.#board = board;
    this.#instances = instances;
    this.exact = instances !== null;
  }

  /** What an instance of a task is called. */
  nameOf(task: number, instance: number): string {
    return this.#instances?.name(task, instance) ?? '';
  }

  /** What an instance says, empty where it has no text; null where the page holds no texts. */
  get textOf(): Instances['text'] {
    return this.#instances?.text ?? null;
  }

  /** Read the text of an instance, or close it. */
  open(instance: Disagreement): void {
    this.#opened = this.#opened === instance ? null : instance;
  }

  /** Show the pair of a link; systems that are not here are left out. */
  show({ pair }: Address): void {
    const [control, treatment] = pair;
    const { systems } = this.data;
    if (control !== treatment) this.#chosen = [systems.indexOf(control), systems.indexOf(treatment)];
  }

  /** Compare two systems; who stands on the other side already changes sides. */
  choose(control: number, treatment: number): void {
    const [before, other] = this.pair;
    if (control === treatment) this.#chosen = control === other ? [other, before] : [other, before];
    else this.#chosen = [control, treatment];
  }

  /** Compare a system with the first of the leaderboard, or the first with the second. */
  challenge(system: number): void {
    const [first, second] = this.#board.order;
    this.choose(system === first ? second : first, system);
  }

  #effects(): NamedEffect[] {
    const [instances, { tasks }] = [this.#instances, this.data];
    if (instances === null) return [];
    return tasks.map(({ name, higherIsBetter }, task) => {
      const own = instances.task(task);
      const weight = this.#board.weights[task];
      return { name, weight, higherIsBetter, clustered: own.clusters !== null, ...pairedEffect(own, ...this.pair) };
    });
  }

  #tests(): TaskTests | null {
    if (this.exact) return null;
    const tests = taskTests(this.#table, this.pair, this.data.shares.confidence, this.oneScale);
    return tests.tasks.length < 2 ? null : tests;
  }

  #rows(): ForestRow[] {
    const { confidence } = this.data.shares;
    if (this.tests !== null) {
      const { tasks, differences } = this.tests;
      const mean = (system: number, task: number): number => this.data.means[system * this.data.tasks.length + task];
      const none = { low: NaN, high: NaN, weight: NaN, better: NaN, worse: NaN, n: NaN };
      return tasks.map((task, at) => ({
        ...none,
        task,
        name: this.data.tasks[task].name,
        control: mean(this.pair[0], task),
        treatment: mean(this.pair[1], task),
        effect: differences[at],
      }));
    }
    return this.#kept.map((one, at) => {
      const reach = ownReach(one.variance, confidence);
      const task = this.effects.indexOf(one);
      return {
        ...one,
        task,
        low: one.effect - reach,
        high: one.effect + reach,
        weight: this.found?.weights[at] ?? NaN,
      };
    });
  }

  #sorted(): ForestRow[] {
    const rows = this.#rows();
    if (this.sort === 'by effect') rows.sort((one, other) => other.effect - one.effect);
    if (this.sort === 'by weight') rows.sort((one, other) => other.weight - one.weight);
    return rows;
  }

  #said(): Said {
    const { confidence } = this.data.shares;
    const refused = (text: string, how = ''): Said => ({ sentence: [{ text }], how });
    if (!this.#board.weighted) return refused('Every task has weight 0. Give at least one some weight.');
    if (this.found !== null) return effectInWords(this.names, this.found, this.#kept[0].name, this.units, confidence);
    if (this.tests !== null) return testsInWords(this.names, this.tests, confidence);
    const why = this.exact ? 'On no task do enough instances score both, or nothing varies.' : TWO_TASKS;
    return refused(`${this.names[1]} and ${this.names[0]} cannot be compared.`, why);
  }

  #disagreements(): Disagreement[] {
    const [instances, { systems }] = [this.#instances, this.data];
    if (instances === null) return [];
    const tasks = [...this.data.tasks.keys()]
      .filter((task) => this.#board.weights[task] > 0)
      .map((task) => ({ ...instances.task(task), task }));
    return disagreements(tasks, systems.length, this.pair, this.binary);
  }
}
