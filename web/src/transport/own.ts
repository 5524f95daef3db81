/** The data of a page with systems that a reader has added. */

import { drawnTasks, withRows } from '../kernel/recount';
import type { Address } from '../text/address';
import type { Added } from './instances';
import type { PageData, TaskInfo } from './page-data';
import type { Joined } from '../worker/join';

/** Systems with their scores by task, and the tasks that they brought, as a link holds them. */
export type Own = Pick<Address, 'own' | 'ownTasks'>;

/** Scores that differ by less, without being equal, are told as near. */
const NEAR = 1e-9;

/** Add systems. Without a command that ranks the same, none is told. */
export function withOwn(page: PageData, { own, ownTasks }: Own, command: string): PageData {
  const base = page.tasks.length > 0 ? page : withTasks(page, ownTasks);
  const count = base.tasks.length;
  const rows = own.map(([, scores]) => {
    const known = new Map(scores);
    return base.tasks.map(({ name }) => known.get(name) ?? NaN);
  });
  const means = new Float64Array(base.means.length + own.length * count);
  means.set(base.means);
  means.set(rows.flat(), base.means.length);
  const systems = [...base.systems, ...own.map(([name]) => name)];
  const oriented = rows.flatMap((row) => row.map((score, at) => (base.tasks[at].higherIsBetter ? score : -score)));
  const tasks = base.tasks.map((task, at) => {
    const column = means.filter((_, cell) => cell % count === at);
    return withPairs(task, pairsOf(column, systems.length, base.systems.length, base.shares.reach));
  });
  const scored = Int32Array.from(means, (mean) => (Number.isNaN(mean) ? 0 : 1));
  const shares = withRows(base.shares, Float64Array.from(oriented));
  return {
    ...base,
    ...withoutAnswers(base, command),
    imputed: means.some(Number.isNaN),
    systems,
    tasks,
    means,
    scored,
    own: own.length,
    shares,
  };
}

/** Add systems with scores of instances; `joined` is what these come to. */
export function withOwnInstances(
  page: PageData,
  names: readonly string[],
  added: Added,
  joined: Joined,
  command: string,
): PageData {
  const { tallies, pairs } = joined;
  const count = page.tasks.length;
  const scored = added.flat().map((scores) => scores.filter((score) => !Number.isNaN(score)).length);
  const means = tallies.means.map((mean, at) => (page.tasks[at % count].higherIsBetter ? mean : -mean));
  return {
    ...page,
    ...withoutAnswers(page, command),
    imputed: page.imputed || scored.some((number, at) => number < page.tasks[at % count].instances),
    systems: [...page.systems, ...names],
    tasks: page.tasks.map((task, at) => withPairs(task, pairs[at])),
    means,
    scored: Int32Array.from([...page.scored, ...scored]),
    own: names.length,
    shares: tallies,
  };
}

/** Without what was made of the page as it came. */
function withoutAnswers({ compare }: PageData, command: string): Partial<PageData> {
  return {
    agreed: null,
    modelled: null,
    command,
    infoCommand: command.replace(/^podium rank/, 'podium info').replace(/ --replicates \d+/, ''),
    python: {},
    compare: { ...compare, command: '' },
  };
}

export type PairCounts = Pick<TaskInfo, 'pairs' | 'tied' | 'near'>;

/** Pairs of systems on the instances of a task, row-major systems × instances, of which one was not there before. */
export function pairsOf(scores: Float64Array, systems: number, before: number, reach: number): PairCounts {
  const found = { pairs: 0, tied: 0, near: 0 };
  const instances = scores.length / systems;
  for (let row = before * instances; row < scores.length; row += 1)
    for (let other = row % instances; other < row - (row % instances); other += instances) {
      const apart = Math.abs(scores[row] - scores[other]);
      if (Number.isNaN(apart)) continue;
      found.pairs += 1;
      if (apart <= reach) found.tied += 1;
      else if (apart <= NEAR) found.near += 1;
    }
  return found;
}

function withPairs(task: TaskInfo, { pairs, tied, near }: PairCounts): TaskInfo {
  return { ...task, pairs: task.pairs + pairs, tied: task.tied + tied, near: task.near + near };
}

/** The data of a page without any, with tasks. */
function withTasks(page: PageData, named: Own['ownTasks']): PageData {
  const { varying } = page.shares;
  if (varying?.units !== 'tasks') throw new Error('a page without data draws tasks');
  const names = named.map(([name]) => name);
  const families = named.map(([, number]) => Math.abs(number) - 1);
  return {
    ...page,
    tasks: named.map(([name, number]) => ({
      ...{ name, weight: 1, higherIsBetter: number > 0, instances: 1, pairs: 0, tied: 0, near: 0 },
    })),
    compare: { ...page.compare, families },
    shares: { ...page.shares, tasks: names.length, varying: drawnTasks(varying, names, families) },
  };
}
