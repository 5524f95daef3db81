/** What was understood of a dropped file, before anything changes. */

import { compareText } from '../kernel/place';
import { quoted } from '../text/command';
import type { Own } from '../transport/own';
import type { PageData } from '../transport/page-data';
import type { Found } from '../read/recognise';

export interface PreviewTask {
  readonly name: string;
  readonly doubt: string;
  /** How many of the systems have a score, and from where to where these go. */
  readonly n: number;
  readonly ends: Ends;
  /** The same of the page; null if it has none. */
  readonly here: Ends | null;
  /** Whether it counts, and whether higher is better. */
  taken: boolean;
  higherIsBetter: boolean;
}

type Ends = readonly [number, number];

/** How many times as large scores of a file may be as those of the page, or as small, before that is said. */
const UNLIKE = 10;

/** Tasks that a command names at most. */
const NAMED = 60;

export class Preview {
  readonly file: string;
  readonly found: Found;
  readonly page: PageData;
  /** The systems that are new, by their places in the file; those that are here; and of these with other scores. */
  readonly fresh: readonly number[];
  readonly here: readonly string[];
  readonly differing: readonly string[];
  readonly tasks: PreviewTask[] = $state([]);
  readonly #scores: Float64Array;

  constructor(file: string, found: Found, page: PageData) {
    this.file = file;
    this.found = found;
    this.page = page;
    this.fresh = [...found.systems.keys()].filter((system) => !page.systems.includes(found.systems[system]));
    this.here = found.systems.filter((system) => page.systems.includes(system));
    const single = found.instances !== undefined;
    this.#scores = single ? found.scores : withoutMinusOne(found, page);
    // means of instances that are not of all, or weigh, are others
    this.differing = (single ? [] : this.here).filter((name) =>
      this.#differs(found.systems.indexOf(name), page.systems.indexOf(name)),
    );
    this.tasks = found.tasks.map(({ name, doubt, higherIsBetter }, at) => {
      const scores = this.fresh.map((system) => this.#score(system, at)).filter((score) => !Number.isNaN(score));
      const task = page.tasks.findIndex((own) => own.name === name);
      const all = columnOf(page.means, page.tasks.length, task);
      const better = page.tasks[task]?.higherIsBetter ?? higherIsBetter;
      const ends = { ends: endsOf(scores), here: all.length === 0 ? null : endsOf(all) };
      return {
        name,
        doubt: this.free || single ? doubt : '',
        n: scores.length,
        ...ends,
        taken: !this.free || doubt === '',
        higherIsBetter: better,
      };
    });
  }

  /** Whether the reader decides what is a task, and what is better. */
  get free(): boolean {
    return this.page.tasks.length === 0;
  }

  /** Tasks whose scores are in other units, as it seems. */
  get unlike(): readonly string[] {
    return this.tasks.flatMap(({ name, n, ends, here }) => {
      const [own, other] = [ends, here ?? ends].map((some) => Math.max(...some.map(Math.abs)));
      return n > 0 && (own > UNLIKE * other || other > UNLIKE * own) ? [name] : [];
    });
  }

  /** What is added. */
  get own(): Own {
    const taken = this.tasks.flatMap((task, at) => (task.taken ? [{ ...task, at }] : []));
    const systems = this.fresh.map((system): Own['own'][number] => [
      this.found.systems[system],
      taken.flatMap(({ name, at }) => {
        const score = this.#score(system, at);
        return Number.isNaN(score) ? [] : [[name, score] as const];
      }),
    ]);
    const named = taken.map(({ at }) => this.found.tasks[at].family);
    const families = named.filter((family, at) => named.indexOf(family) === at).sort(compareText);
    const tasks = taken.map(({ name, at, higherIsBetter }): readonly [string, number] => {
      const number = families.indexOf(this.found.tasks[at].family) + 1;
      return [name, higherIsBetter ? number : -number];
    });
    return { own: systems.filter(([, scores]) => scores.length > 0), ownTasks: this.free ? tasks : [] };
  }

  /** The command that ranks them with the others, after `command`; empty if there is none. */
  after(command: string): string {
    const { file, found, page } = this;
    const taken = this.tasks.filter((task) => task.taken);
    const some = found.left.length > 0 || taken.length < this.tasks.length;
    const names = (this.free ? taken : page.tasks).map(({ name }) => name.replaceAll(',', '\\,'));
    const turned = taken.filter(
      (task) => this.free && task.higherIsBetter !== found.tasks.find(({ name }) => name === task.name)?.higherIsBetter,
    );
    if (command === '' || command.includes(' --systems') || this.differing.length + turned.length > 0) return '';
    if (!some) return `${command} ${typed(file)}`;
    return names.length > NAMED || command.includes(' --tasks')
      ? ''
      : `${command} ${typed(file)} --tasks ${quoted(names.join(','))}`;
  }

  /** Whether a system of the file has other scores than that of the page. */
  #differs(system: number, other: number): boolean {
    const { systems, tasks, means } = this.page;
    return this.found.tasks.some(({ name }, at) => {
      const [own, task] = [this.#score(system, at), tasks.findIndex((one) => one.name === name)];
      return !Number.isNaN(own) && own !== means[other * (means.length / systems.length) + task];
    });
  }

  #score(system: number, task: number): number {
    return this.#scores[system * this.found.tasks.length + task];
  }
}

/** The scores without those of −1 that stand for “not measured”, by all others of their tasks. */
function withoutMinusOne({ tasks, scores }: Found, page: PageData): Float64Array {
  const stray = tasks.map(({ name }, at) => {
    const own = columnOf(scores, tasks.length, at);
    if (!own.includes(-1)) return false;
    const task = page.tasks.findIndex((one) => one.name === name);
    const here = columnOf(page.means, page.tasks.length, task);
    return isMissingCode([...own.filter((score) => score !== -1), ...here]);
  });
  return scores.map((score, cell) => (score === -1 && stray[cell % tasks.length] ? NaN : score));
}

/** Whether −1 stands for “not measured” beside these scores. */
function isMissingCode(others: readonly number[]): boolean {
  const [least, most] = [Math.min(...others), Math.max(...others)];
  if (others.length === 0 || least < 0) return false;
  if (most <= 1) return others.some((score) => ![0, 0.5, 1].includes(score));
  return most <= 100 && (most > 10 || least >= 1);
}

/** The scores of a column of a row-major table, as far as there are any; none of a column that it lacks. */
function columnOf(scores: Float64Array, columns: number, column: number): number[] {
  const found: number[] = [];
  for (let at = column; column >= 0 && at < scores.length; at += columns)
    if (!Number.isNaN(scores[at])) found.push(scores[at]);
  return found;
}

/** The name of a file, as a shell takes it for one. */
export function typed(file: string): string {
  return quoted(file.startsWith('-') ? `./${file}` : file);
}

function endsOf(scores: Iterable<number>): Ends {
  let [low, high] = [Infinity, -Infinity];
  for (const score of scores) [low, high] = [Math.min(low, score), Math.max(high, score)];
  return [low, high];
}
