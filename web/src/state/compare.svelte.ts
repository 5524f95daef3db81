/** Two systems against each other as they are asked for, and the answers. */

import { type Disagreement, disagreements, type Measure, ONE_SCORE, pairedEffect } from '../kernel/paired';
import { isKept, ownReach, pooled, type Pooled, turning, type Weighed, weighed } from '../kernel/pooling';
import { goTogether, type Suite, suiteEffect } from '../kernel/suite';
import { commonScale, type TaskTable, type TaskTests, taskTests } from '../kernel/task-tests';
import type { Leaderboard } from './leaderboard.svelte';
import { PairsBoard } from './pairs.svelte';
import type { Address } from '../text/address';
import type { View } from '../text/command';
import {
  compareCommand,
  DEPENDENT,
  doubtOfTwo,
  doubts,
  doubtsOfPooling,
  effectInWords,
  type NamedEffect,
  type Said,
  testsInWords,
  type Units,
  unitsOf,
  unlikeScales,
} from '../text/compare';
import type { Instances } from '../transport/instances';
import type { PageData } from '../transport/page-data';

export const SORTS = ['as in the file', 'by effect', 'by weight'] as const;

type TaskSort = (typeof SORTS)[number];

const TWO_TASKS = 'Tests over tasks need two tasks, or families of tasks, that score both.';

/** Rows up to which all are drawn at once; of more, so many that differ most. */
const [MANY, MOST] = [40, 24];

/** A task of the forest plot; numbers that do not exist are NaN. */
export interface ForestRow {
  readonly task: number;
  readonly name: string;
  readonly n: number;
  readonly control: number;
  readonly treatment: number;
  readonly effect: number;
  /** Where it stands on the axis: the effect, or the share of systems beaten, if tasks have no common scale. */
  readonly at: number;
  readonly low: number;
  readonly high: number;
  readonly weight: number;
  readonly better: number;
  readonly worse: number;
}

/** An effect with its interval; numbers that do not exist are NaN. */
export interface Ends {
  readonly effect: number;
  readonly low: number;
  readonly high: number;
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
  /** Whether many tasks all have rows. */
  whole = $state(false);
  /** Whether all pairs are shown. */
  allPairs = $state(false);
  readonly pairs: PairsBoard;
  /** What the reader chose to measure; null for what fits the scales. */
  chosenMeasure: Measure | null = $state(null);
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
  readonly #differences: readonly NamedEffect[] = $derived.by(() => this.#effects('md'));
  readonly measure: Measure = $derived.by(
    () => this.chosenMeasure ?? (unlikeScales(this.#differences.filter(isKept)).length > 0 ? 'smd' : 'md'),
  );
  readonly #weighed: Weighed<NamedEffect> = $derived.by(() => {
    if (this.measure === 'md') return weighed(this.#differences);
    const tasks = this.#effects(this.measure);
    return { tasks, variances: tasks.filter(isKept).map(({ variance }) => variance), alike: false };
  });
  readonly effects: readonly NamedEffect[] = $derived(this.#weighed.tasks);
  readonly #kept: readonly NamedEffect[] = $derived(this.effects.filter(isKept));
  readonly binary: boolean = $derived(this.#kept.length > 0 && this.#kept.every(({ binary }) => binary));
  readonly units: Units = $derived(unitsOf(this.measure, this.binary));
  readonly #given: readonly [number[], number[], number] = $derived.by(() => [
    this.#kept.map(({ effect }) => effect),
    [...this.#weighed.variances],
    this.data.shares.confidence,
  ]);
  /** Effects brought together; null if there are none, or if tasks depend on each other, which only podium allows for. */
  readonly found: Pooled | null = $derived.by(() =>
    this.#kept.length === 0 || this.#linked() ? null : pooled(...this.#given),
  );
  /** The difference on these tasks; null where there is none, or none in these units. */
  readonly suite: Suite | null = $derived.by(() => (this.#kept.length === 0 ? null : this.#suite()));
  readonly #table: TaskTable = $derived.by(() => ({
    systems: this.data.systems.length,
    means: this.data.means,
    higherIsBetter: this.data.tasks.map(({ higherIsBetter }) => higherIsBetter),
    weights: [...this.#board.weights],
    rounding: this.data.compare.rounding,
    reach: this.data.compare.reach,
    families: this.data.compare.families,
  }));
  /** Whether differences of tasks can stand on one axis. */
  readonly oneScale: boolean = $derived.by(() => this.exact || !Number.isNaN(commonScale(this.#table)));
  readonly tests: TaskTests | null = $derived.by(() => this.#tests());
  readonly rows: readonly ForestRow[] = $derived.by(() => this.#sorted());
  /** Those that are drawn: all, or of many those that differ most. */
  readonly drawn: readonly ForestRow[] = $derived.by(() => {
    if (this.whole || this.rows.length <= MANY) return this.rows;
    const sizes = this.rows.map(({ at }) => Math.abs(at));
    const least = [...sizes].sort((one, other) => other - one)[MOST - 1];
    const most = this.rows.filter((_, at) => sizes[at] >= least).slice(0, MOST);
    return this.sort === SORTS[0] ? most.sort((one, other) => other.at - one.at) : most;
  });
  /** What holds for all tasks together, with what it is called, and in little room. */
  readonly summaries: readonly (Ends & { readonly name: string; readonly short: string })[] = $derived.by(() => {
    const { suite, found, tests } = this;
    if (this.rows.length < 2) return [];
    if (tests !== null) {
      const mean = { effect: tests.mean, low: tests.low, high: tests.high };
      return Number.isFinite(tests.mean) ? [{ ...mean, name: 'on average', short: 'average' }] : [];
    }
    const ahead = { effect: NaN, low: found?.newLow ?? NaN, high: found?.newHigh ?? NaN };
    return [
      ...(suite === null ? [] : [{ ...suite, name: 'on these tasks', short: 'these' }]),
      ...(found === null ? [] : [{ ...found, name: 'on tasks like these', short: 'others' }]),
      ...(Number.isFinite(ahead.low) ? [{ ...ahead, name: 'on a new task', short: 'a new one' }] : []),
    ];
  });
  /** The answer, or why there is none. */
  readonly said: Said = $derived.by(() => this.#said());
  readonly notes: readonly string[] = $derived.by(() => {
    const { found, suite, measure } = this;
    return [
      ...(suite === null || found === null ? [] : doubtOfTwo(suite, found, this.#kept)),
      ...(this.#kept.length === 0 ? [] : doubts(this.effects, measure, this.binary, this.#weighed.alike)),
      ...(found === null ? [] : doubtsOfPooling(this.#kept, found, turning(...this.#given), this.#weighed.variances)),
    ];
  });
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
  /** Weights that matter to what is said: over tasks like these only those of 0. */
  readonly asked: Pick<View, 'tasks' | 'weights'> = $derived.by(() => {
    const weights = [...this.#board.weights];
    const tasks = this.data.tasks.map(({ name }) => name);
    return { tasks, weights: this.suite === null ? weights.map((weight) => (weight > 0 ? 1 : 0)) : weights };
  });
  readonly command: string = $derived.by(() =>
    this.data.compare.command === ''
      ? ''
      : compareCommand(this.data.compare.command, this.names, this.measure, this.asked),
  );

  constructor(data: PageData, instances: Instances | null, board: Leaderboard) {
    this.data = data;
    this.#board = board;
    this.#instances = instances;
    this.exact = instances !== null;
    this.pairs = new PairsBoard(board);
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

  #effects(measure: Measure): NamedEffect[] {
    const [instances, { tasks }] = [this.#instances, this.data];
    if (instances === null) return [];
    return tasks.map(({ name, higherIsBetter }, task) => {
      const own = instances.task(task);
      const weight = this.#board.weights[task];
      const effect = pairedEffect(own, ...this.pair, measure);
      return { name, weight, higherIsBetter, clustered: own.clusters !== null, ...effect };
    });
  }

  #suite(): Suite | null {
    const [instances, { weights }] = [this.#instances, this.#board];
    if (instances === null || this.measure !== 'md') return null;
    const tasks = weights.map((weight, task) => ({ ...instances.task(task), weight }));
    return suiteEffect(tasks, instances.units, this.pair, this.data.shares.confidence);
  }

  /** Whether effects on tasks depend on each other: they share instances, or are of one family. */
  #linked(): boolean {
    const [instances, { families }] = [this.#instances, this.data.compare];
    const kept = Array.from(this.effects.keys()).filter((task) => isKept(this.effects[task]));
    if (kept.some((one) => kept.some((task) => task < one && families[task] === families[one]))) return true;
    return (instances?.shared ?? []).some(({ tasks, numbered }) => {
      const own = kept.filter((task) => tasks.includes(task));
      if (own.length < 2 || instances === null) return false;
      return (
        !numbered ||
        goTogether(
          own.map((task) => ({ ...instances.task(task), limited: this.effects[task].limited })),
          this.pair,
        )
      );
    });
  }

  #tests(): TaskTests | null {
    if (this.exact) return null;
    const tests = taskTests(this.#table, this.pair, this.data.shares.confidence, this.oneScale);
    return tests.wins + tests.ties + tests.losses < 2 ? null : tests;
  }

  #rows(): ForestRow[] {
    const { confidence } = this.data.shares;
    if (this.tests !== null) {
      const { tasks, differences } = this.tests;
      const mean = (system: number, task: number): number => this.data.means[system * this.data.tasks.length + task];
      const beaten = (system: number, task: number): number =>
        this.#board.shares[system * this.data.tasks.length + task];
      const none = { low: NaN, high: NaN, weight: NaN, better: NaN, worse: NaN, n: NaN };
      return tasks.map((task, at) => ({
        ...none,
        task,
        name: this.data.tasks[task].name,
        control: mean(this.pair[0], task),
        treatment: mean(this.pair[1], task),
        effect: differences[at],
        at: this.oneScale ? differences[at] : beaten(this.pair[1], task) - beaten(this.pair[0], task),
      }));
    }
    const { suite } = this;
    // a single task has the interval of the answer, which is right for few instances
    const alone = this.#kept.length === 1 && suite !== null && suite.tasks === 1 && !Number.isNaN(suite.low);
    return this.#kept.map((one, at) => {
      const reach = ownReach(one.variance, confidence);
      const task = this.effects.indexOf(one);
      return {
        ...one,
        task,
        at: one.effect,
        low: alone ? suite.low : one.effect - reach,
        high: alone ? suite.high : one.effect + reach,
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
    const { names, suite, found, units } = this;
    const flat = this.effects.find(({ why, weight }) => why === ONE_SCORE && weight > 0);
    if (flat !== undefined)
      return refused(
        `${names[1]} and ${names[0]} cannot be compared in standard deviations.`,
        `On ${flat.name} ${flat.why}.`,
      );
    if (suite !== null || found !== null) return effectInWords(names, suite, found, units, confidence);
    if (this.tests !== null) return testsInWords(names, this.tests, confidence);
    if (this.#kept.length > 0) return refused(`${names[1]} and ${names[0]}, task by task.`, DEPENDENT);
    const why = this.exact ? 'On no task do enough instances score both, or nothing varies.' : TWO_TASKS;
    return refused(`${names[1]} and ${names[0]} cannot be compared.`, why);
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
