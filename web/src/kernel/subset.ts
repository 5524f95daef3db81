/** A table without some of its systems: what is left says how they do among themselves. */

import type { Intervals } from './interval';
import type { Recount } from './recount';
import type { Standing } from './standing';
import type { Battles, DrawnInstances, Instances, Stepped, Tallies } from './tallies';
import type { Ranking } from './uncertainty';
import { nearOf, ordersIn, type Way, WAYS, waysOf } from './way';

/** Ways to rank some of the systems: by shares only where it is known who beats whom, or where each task has one score. */
export function waysAmong(tallies: Tallies): readonly Way[] {
  return waysOf(tallies).filter((way) => tallies.pairs !== null || !sharesOfInstances(tallies, way));
}

function sharesOfInstances({ instances }: Tallies, way: Way): boolean {
  return instances !== null && WAYS.indexOf(way) < WAYS.indexOf('task');
}

/** Numbers by system, of some of the systems. */
type Rows = <Values extends Int8Array | Uint8Array | Int32Array | Float64Array>(values: Values) => Values;

/**
 * The tallies of some systems, in their order; a recount of their instances says who beats whom where the tallies do
 * not, and the range of scores.
 */
export function among(tallies: Tallies, kept: readonly number[], recount: Recount | null = null): Tallies {
  const { tasks, means, instances, varying } = tallies;
  const rows: Rows = (values) => rowsOf(values, kept, tallies.systems);
  const own = rows(means);
  const systems = kept.length;
  const counted = instances === null ? null : countedAmong(instances, own, tallies.reach, rows, recount);
  const scored = tallies.scored.map((_, task) => own.some((mean, at) => at % tasks === task && !Number.isNaN(mean)));
  const shares =
    instances === null
      ? ordersIn(own, systems, tasks, () => ({ near: 0, reach: tallies.reach }))
      : ((tallies.pairs === null ? recount?.shares : undefined) ?? sharesAmong(tallies, instances, kept));
  return {
    ...tallies,
    systems,
    shares,
    means: own,
    scored,
    instances: counted,
    pairs: null,
    battles: tallies.battles && battlesAmong(tallies.battles, kept),
    varying: varying?.units === 'instances' ? varyingAmong(varying, rows, kept, tallies.systems) : varying,
  };
}

/** The same with how shares of the rest vary, by a recount. */
export function drawnAmong(tallies: Tallies, kept: readonly number[], recount: Recount | null): Tallies {
  const found = among(tallies, kept, recount);
  const { varying } = found;
  if (recount === null || varying?.units !== 'instances') return found;
  return { ...found, varying: recount.drawn(varying) };
}

function countedAmong(
  instances: Instances,
  means: Float64Array,
  reach: number,
  rows: Rows,
  recount: Recount | null,
): Instances {
  const tasks = instances.sizes.length;
  const scale = rows(instances.scale);
  const near = nearOf(scale, tasks);
  const byOrder = ordersIn(means, means.length / tasks, tasks, (task) => ({ near: near[task], reach }));
  const ends = recount?.ends ?? endsAmong(instances, means);
  return { ...instances, scale, byOrder, units: rows(instances.units), ends };
}

/** Those that both systems are in. */
function battlesAmong({ cells, numbers }: Battles, kept: readonly number[]): Battles {
  const there = Array.from(numbers.keys()).filter((at) => [1, 2].every((side) => kept.includes(cells[4 * at + side])));
  return {
    cells: Int32Array.from({ length: 4 * there.length }, (_, to) => {
      const own = cells[4 * there[to >> 2] + (to & 3)];
      return (to & 3) === 1 || (to & 3) === 2 ? kept.indexOf(own) : own;
    }),
    numbers: Float64Array.from(there, (at) => numbers[at]),
    drawn: null,
  };
}

/** Of a single instance the scores are known; of more, those of the rest lie between those of all. */
function endsAmong({ ends, sizes }: Instances, means: Float64Array): Instances['ends'] {
  return ends.map((all, task) => {
    if (sizes[task] > 1) return all;
    const own = means.filter((mean, at) => at % sizes.length === task && !Number.isNaN(mean));
    return own.length === 0 ? null : [Math.min(...own), Math.max(...own)];
  });
}

/** How shares of the rest vary is not known without a recount; means vary as before. */
function varyingAmong(varying: DrawnInstances, rows: Rows, kept: readonly number[], systems: number): DrawnInstances {
  const stepped = ({ centre, steps, departures }: Stepped): Stepped => ({
    centre: rows(centre),
    steps: rows(steps),
    departures: rows(departures),
  });
  const columns = (values: Float64Array): Float64Array => values.filter((_, at) => kept.includes(at % systems));
  return {
    ...varying,
    shares: null,
    means: varying.means === null ? null : stepped(varying.means),
    groups: varying.groups.map((group) => ({
      ...group,
      kept:
        group.kept?.map((one) => ({ ...one, shares: columns(one.shares).fill(NaN), means: columns(one.means) })) ??
        null,
    })),
  };
}

/** Row-major systems × tasks: shares of others beaten, from who beats whom; NaN where that is not known. */
function sharesAmong(
  { systems, tasks, means, pairs }: Tallies,
  { ballots }: Instances,
  kept: readonly number[],
): Float64Array {
  const n = kept.length;
  const shares = new Float64Array(n * tasks).fill(pairs === null ? NaN : 0.5);
  if (pairs === null) return shares;
  const number = (systems * (systems - 1)) / 2;
  for (let task = 0; task < tasks; task += 1) {
    const scored = kept.filter((system) => !Number.isNaN(means[system * tasks + task]));
    kept.forEach((system, at) => {
      if (Number.isNaN(means[system * tasks + task])) return;
      let lost = 0;
      for (const other of scored)
        if (other !== system) lost += (1 - lead(pairs, task * number, systems, system, other) / ballots[task]) / 2;
      shares[at * tasks + task] = (n - (1 + lost) * ((n + 1) / (scored.length + 1))) / (n - 1);
    });
  }
  return shares;
}

/** On how many ballots one beats the other, less how many it loses; pairs are (0, 1), (0, 2), …. */
function lead(pairs: ArrayLike<number>, from: number, systems: number, one: number, other: number): number {
  const [low, high] = one < other ? [one, other] : [other, one];
  const won = pairs[from + low * systems - (low * (low + 1)) / 2 + high - low - 1];
  return one < other ? won : -won;
}

function rowsOf<Values extends Int8Array | Uint8Array | Int32Array | Float64Array>(
  values: Values,
  kept: readonly number[],
  systems: number,
): Values {
  const length = values.length / systems;
  const found = values.slice(0, kept.length * length) as Values;
  kept.forEach((system, at) => {
    found.set(values.subarray(system * length, (system + 1) * length), at * length);
  });
  return found;
}

/** A standing of some systems with those that are left out, which have no rank. */
export function standingOfAll<Found extends Standing>(found: Found, kept: readonly number[], systems: number): Found {
  const { score, rounding, place, rank } = found;
  return {
    ...found,
    ...columnsOfAll({ score, rounding, rank }, kept, systems),
    place: spread(place, kept, new Int32Array(systems).fill(-1)),
  };
}

/** The same with intervals. */
export function rankingOfAll(found: Ranking, kept: readonly number[], systems: number): Ranking {
  return { ...standingOfAll(found, kept, systems), intervals: found.intervals && intervalsOfAll(found.intervals) };

  function intervalsOfAll({ better, ...ends }: Intervals): Intervals {
    return { ...columnsOfAll(ends, kept, systems), better: better && pairsOfAll(better, kept, systems) };
  }
}

/** Row-major pairs among those of all, which have 0. */
function pairsOfAll(pairs: Uint8Array, kept: readonly number[], systems: number): Uint8Array {
  const found = new Uint8Array(systems * systems);
  pairs.forEach((value, pair) => {
    found[kept[Math.floor(pair / kept.length)] * systems + kept[pair % kept.length]] = value;
  });
  return found;
}

/** Numbers by system, NaN or 0 of those that are left out. */
function columnsOfAll<Columns extends object>(columns: Columns, kept: readonly number[], systems: number): Columns {
  const all = Object.entries(columns).map(([name, values]: [string, Float64Array | Int32Array | Uint8Array]) => [
    name,
    // whole numbers become 0
    spread(values, kept, new (values.constructor as typeof Float64Array)(systems).fill(NaN)),
  ]);
  return Object.fromEntries(all) as Columns;
}

/** Row-major numbers of some systems among those of all, which have `empty`. */
export function spread<Values extends Float64Array | Int32Array | Uint8Array>(
  values: Values,
  kept: readonly number[],
  empty: Values,
): Values {
  const length = values.length / kept.length;
  kept.forEach((system, at) => {
    empty.set(values.subarray(at * length, (at + 1) * length), system * length);
  });
  return empty;
}
