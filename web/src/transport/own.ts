/** The data of a page with systems that a reader has added. */

import { drawnTasks, withRows } from '../kernel/join';
import type { Address } from '../text/address';
import type { PageData, TaskInfo } from './page-data';

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
  const tasks = base.tasks.map((task, at) => counted(task, at, means, base.systems.length));
  return {
    ...base,
    systems,
    tasks,
    means,
    scored: Int32Array.from(means, (mean) => (Number.isNaN(mean) ? 0 : 1)),
    own: own.length,
    shares: withRows(base.shares, Float64Array.from(oriented)),
    imputed: means.some(Number.isNaN),
    agreed: null,
    modelled: null,
    command,
    infoCommand: command.replace(/^podium rank/, 'podium info').replace(/ --replicates \d+/, ''),
    python: {},
    compare: { ...base.compare, command: '' },
  };

  /** Pairs of a task, with those of systems that were added. */
  function counted(task: TaskInfo, at: number, all: Float64Array, before: number): TaskInfo {
    let { pairs, tied, near } = task;
    for (let row = before; row < systems.length; row += 1) {
      const score = all[row * count + at];
      for (let other = 0; other < row; other += 1) {
        const apart = Math.abs(score - all[other * count + at]);
        if (Number.isNaN(apart)) continue;
        pairs += 1;
        if (apart <= base.shares.reach) tied += 1;
        else if (apart <= NEAR) near += 1;
      }
    }
    return { ...task, pairs, tied, near };
  }
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
