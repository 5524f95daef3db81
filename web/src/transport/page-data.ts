/** The data of a page with types: what Python's `page` wrote, ready for the kernels. */

import type { Intervals } from '../kernel/interval';
import { competitionRanks, places } from '../kernel/place';
import type { Standing } from '../kernel/standing';
import type { DrawnTasks, Instances as CountedInstances, Stepped, Tallies } from '../kernel/tallies';
import type { Group, Kept } from '../kernel/unit';
import { valuesOf } from '../kernel/way';
import type { Sources } from '../text/python';
import type { Bundle, NumberArray } from './bundle';
import {
  type Agreed,
  type AgreedContent,
  agreedOf,
  type Stressed,
  type Versioned,
  type VersionedContent,
} from './told';

export interface TaskInfo {
  readonly name: string;
  readonly weight: number;
  readonly higherIsBetter: boolean;
  readonly instances: number;
  /** Pairs of systems on the same instance; those that tie; those that differ by rounding at most. */
  readonly pairs: number;
  readonly tied: number;
  readonly near: number;
}

interface TaskGroup {
  readonly name: string;
  /** Two at least, by index. */
  readonly tasks: readonly number[];
}

/** Weights of tasks under a name. */
export interface Preset {
  readonly name: string;
  readonly weights: readonly number[];
}

/** What is known of systems beside scores; null where nothing is. Dates are as they are written. */
export type Property = { readonly name: string } & (
  | {
      readonly kind: 'number';
      readonly values: readonly (number | null)[];
      readonly higherIsBetter: boolean;
      /** Whether it is one number of the whole system; otherwise it is a mean over instances. */
      readonly exact: boolean;
    }
  | { readonly kind: 'text' | 'date' | 'link'; readonly values: readonly (string | null)[] }
);

/** What stands on the page as Python told it. */
interface Told {
  readonly title: string;
  /** Of these data: another page with the same has the same. */
  readonly digest: string;
  readonly presets: readonly Preset[];
  readonly systems: readonly string[];
  readonly properties: readonly Property[];
  readonly tasks: readonly TaskInfo[];
  /** A task is in one of them, or in none; and what made them. */
  readonly groups: readonly TaskGroup[];
  readonly groupedBy: 'given' | 'beginning' | 'ending';
  /** The way to rank that the page opens with. */
  readonly usual: string;
  readonly replicates: number;
  readonly seed: number;
  /** What a bootstrap draws, in words. */
  readonly drawn: string;
  readonly notes: readonly string[];
  /** What a mean does to tasks of different directions, and to missing scores. */
  readonly notesOnMeans: readonly string[];
  /** How the page was made, as typed. */
  readonly command: string;
  /** The difficulty by which the page also holds the harder half of each task; empty if it does not. */
  readonly hard: string;
  /** Whether scores are missing, and count as the ranking of those that are there leads one to expect. */
  readonly imputed: boolean;
  /** The command that says what the table holds. */
  readonly infoCommand: string;
  /** Code that makes what the page is made of, as far as it is known. */
  readonly python: Sources;
  /** What would change the winner; null where that was not asked for. */
  readonly stressed: Stressed | null;
  readonly compare: ComparedData;
  /** The command that shows who beats whom, of battles; null of other tables. */
  readonly pairwiseCommand: string | null;
  /** What is in the page, in words. */
  readonly holds: string;
}

/** A ranking that Python made. */
export interface Made {
  readonly standing: Standing;
  readonly intervals: Intervals | null;
}

export interface PageData extends Told {
  /** The ranking in which a model says how missing scores count, with the weights as given; null if there is none. */
  readonly modelled: Made | null;
  /** How many systems, the last ones, a reader has added. */
  readonly own: number;
  readonly shares: Tallies;
  /** Row-major systems × tasks: mean scores in the units of each task; NaN where there is none. */
  readonly means: Float64Array;
  /** Row-major systems × tasks: of how many instances there are scores. */
  readonly scored: NumberArray;
  /** Ranks by several methods; null where no two of them rank these systems. */
  readonly agreed: Agreed | null;
  /** How ranks went over versions of the table; null where that was not asked for. */
  readonly versioned: Versioned | null;
}

interface ComparedData {
  /** The command that compares, without the systems. */
  readonly command: string;
  /** Whether the table has one score per task. */
  readonly byTask: boolean;
  /** Up to where two of these are equal: a share of their size, and a tie. */
  readonly rounding: number;
  readonly reach: number;
  /** The number of the family of each task. */
  readonly families: readonly number[];
}

/** Tasks that are drawn together: numbers of the units of each task, null of all; null if it is not kept what each adds. */
interface RawGroup extends Omit<Group, 'kept'> {
  readonly numbers: readonly (readonly number[] | null)[] | null;
}

/** How tasks, and instances inside them, are drawn. */
export interface RawVarying extends Omit<DrawnTasks, 'units' | 'replicates'> {
  readonly units: 'tasks' | 'instances';
  readonly groups: readonly RawGroup[];
  readonly scored: readonly boolean[];
}

interface Content extends Told {
  readonly modelled: boolean;
  readonly confidence: number;
  readonly varying: RawVarying;
  readonly agreed: AgreedContent | null;
  readonly versioned: VersionedContent | null;
  /** What other methods need of instances; null where each task has one score. */
  readonly counted: (Pick<CountedInstances, 'ends' | 'sets'> & { readonly reach: number }) | null;
}

/** Stands for a number that a replicate lacks. */
const NONE = -128;

export function pageData(bundle: Bundle): PageData {
  const content = bundle.content as Content;
  const { tasks, systems, confidence, varying, counted, agreed, versioned, compare, replicates } = content;
  const held = (name: string): NumberArray | null => bundle.arrays.get(name)?.values ?? null;
  const means = floats(bundle, 'means');
  const isOfBattles = bundle.arrays.has('duels');
  const upward = tasks.every(({ higherIsBetter }) => higherIsBetter);
  const oriented = upward
    ? means
    : means.map((mean, cell) => (tasks[cell % tasks.length].higherIsBetter ? mean : -mean));
  const known = held('scored') ?? sizesOf(tasks, means);
  // what was not fought is not missing
  const scored = isOfBattles ? sizesOf(tasks, new Float64Array(means.length)) : known;
  return {
    ...content,
    means,
    scored,
    modelled: content.modelled ? madeOf(bundle) : null,
    own: 0,
    agreed: agreed && agreedOf(agreed, systems, array(bundle, 'agreement ranks'), floats(bundle, 'agreement tau')),
    versioned: versioned && {
      ...versioned,
      ranks: array(bundle, 'history ranks'),
      low: held('history low'),
      high: held('history high'),
    },
    shares: {
      systems: systems.length,
      tasks: tasks.length,
      shares: floats(bundle, 'shares'),
      means: oriented,
      reach: counted?.reach ?? compare.reach,
      pairs: held('pairs'),
      instances: counted && {
        ...counted,
        sizes: tasks.map(({ instances }) => instances),
        ballots: floats(bundle, 'ballots'),
        byOrder: floats(bundle, 'by order'),
        scale: Float64Array.from(array(bundle, 'mean scale'), (exponent) => 2 ** exponent),
        units: Float64Array.from(held('scored units') ?? known),
      },
      battles: isOfBattles
        ? {
            cells: array(bundle, 'duels') as Int32Array,
            numbers: floats(bundle, 'duel numbers'),
            drawn: held('duels drawn'),
          }
        : null,
      confidence,
      scored: varying.scored,
      varying: varyingOf({ ...varying, replicates }, bundle, systems.length, oriented),
    },
  };
}

/** Of how many instances the mean in each cell is; 0 where it is missing. */
function sizesOf(tasks: readonly TaskInfo[], means: Float64Array): Int32Array {
  const sizes = Int32Array.from(tasks, ({ instances }) => instances);
  const found = new Int32Array(means.length);
  for (let cell = 0; cell < means.length; cell += 1)
    if (!Number.isNaN(means[cell])) found[cell] = sizes[cell % sizes.length];
  return found;
}

/** Scores by the model that differ by less tie. */
const CLOSE = 1e-9;

function madeOf(bundle: Bundle): Made {
  const score = floats(bundle, 'model scores');
  const rounding = score.map(() => CLOSE);
  const place = places(score, rounding);
  const standing = { score, rounding, place, rank: competitionRanks(place) };
  if (!bundle.arrays.has('model ranks')) return { standing, intervals: null };
  const n = score.length;
  const [ends, ranks] = [floats(bundle, 'model ends'), array(bundle, 'model ranks') as Int32Array];
  const [stdError, low, high] = [0, 1, 2].map((row) => ends.subarray(row * n, (row + 1) * n));
  const rows = [0, 1, 2, 3, 4, 5].map((row) => ranks.subarray(row * n, (row + 1) * n));
  const [rankLow, rankHigh, jointRankLow, jointRankHigh, tier, first] = rows;
  const own = {
    rankLow,
    rankHigh,
    jointRankLow,
    jointRankHigh,
    tier,
    mayBeFirst: Uint8Array.from(first),
    better: null,
  };
  return { standing, intervals: { stdError, low, high, ...own } };
}

function varyingOf(
  varying: RawVarying & Pick<Told, 'replicates'>,
  bundle: Bundle,
  systems: number,
  means: Float64Array,
): Tallies['varying'] {
  const { units, groups } = varying;
  if (units === 'tasks') return { ...varying, units };
  const single = groups.some(({ numbers }) => numbers !== null);
  const few = (name: string): Float64Array => (single ? floats(bundle, name) : new Float64Array(0));
  const all = { shares: few('contributions'), means: few('mean contributions'), mass: few('unit shares') };
  return {
    ...varying,
    units,
    groups: groupsOf(groups, systems, all),
    drawn: array(bundle, 'drawn') as Uint8Array,
    shares: inSteps(bundle, floats(bundle, 'shares'), ''),
    ballots: valuesOf(inSteps(bundle, floats(bundle, 'ballots'), 'ballot ')),
    means: bundle.arrays.has('mean departures') ? inSteps(bundle, means, 'mean ') : null,
  };
}

/** Groups as they are told, with what each of their units adds: of all groups in one list. */
export function groupsOf(groups: readonly RawGroup[], systems: number, all: Omit<Kept, 'numbers'>): Group[] {
  let from = 0;
  return groups.map(({ numbers, ...group }) => {
    const kept = numbers?.map((own, place) => {
      const [first, last] = [from, (from += group.sizes[place])];
      return {
        numbers: own ?? Int32Array.from({ length: last - first }, (_, at) => at),
        mass: all.mass.subarray(first, last),
        shares: all.shares.subarray(first * systems, last * systems),
        means: all.means.subarray(first * systems, last * systems),
      };
    });
    return { ...group, kept: kept ?? null };
  });
}

/** Numbers in every replicate: those of the table, and some steps beside them. */
function inSteps(bundle: Bundle, centre: Float64Array, of: string): Stepped {
  const departures = array(bundle, `${of}departures`) as Int8Array;
  const gaps = departures.includes(NONE);
  return {
    centre,
    steps: floats(bundle, `${of}steps`),
    departures: gaps ? Float64Array.from(departures, (step) => (step === NONE ? NaN : step)) : departures,
  };
}

function floats(bundle: Bundle, name: string): Float64Array {
  return array(bundle, name) as Float64Array;
}

function array(bundle: Bundle, name: string): NumberArray {
  const found = bundle.arrays.get(name);
  if (found === undefined) throw new Error(`the data of this page lack '${name}'; make it again`);
  return found.values;
}
