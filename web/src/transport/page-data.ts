/** The data of a page with types: what Python's `page` wrote, ready for the kernels. */

import type { DrawnInstances, DrawnTasks, Instances as CountedInstances, Stepped, Tallies } from '../kernel/tallies';
import type { Group, Kept } from '../kernel/unit';
import { valuesOf } from '../kernel/way';
import type { Sources } from '../text/python';
import { agreedOf, type Agreed, type AgreedContent } from './agreed';
import type { Stressed } from './stressed';
import type { Versioned, VersionedContent } from './versioned';
import type { Bundle, NumberArray } from './bundle';

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

export interface TaskGroup {
  readonly name: string;
  /** Two at least, by index. */
  readonly tasks: readonly number[];
}

export interface PageData {
  readonly title: string;
  readonly systems: readonly string[];
  readonly tasks: readonly TaskInfo[];
  /** A task is in one of them, or in none; and what made them. */
  readonly groups: readonly TaskGroup[];
  readonly groupedBy: 'given' | 'beginning' | 'ending';
  readonly level: string;
  readonly replicates: number;
  /** What a bootstrap draws, in words. */
  readonly drawn: string;
  readonly notes: readonly string[];
  /** What a mean does to tasks of different directions, and to missing scores. */
  readonly notesOnMeans: readonly string[];
  /** How the page was made, as typed. */
  /** Whether scores are missing, and count as the ranking of those that are there leads one to expect. */
  readonly imputed: boolean;
  readonly command: string;
  /** The command that says what the table holds. */
  readonly infoCommand: string;
  /** Code that makes what the page is made of, as far as it is known. */
  readonly python: Sources;
  readonly seed: number;
  readonly shares: Tallies;
  /** Row-major systems × tasks: mean scores in the units of each task; NaN where there is none. */
  readonly means: Float64Array;
  /** Row-major systems × tasks: of how many instances there are scores. */
  readonly scored: NumberArray;
  /** Ranks by several methods; null where no two of them rank these systems. */
  readonly agreed: Agreed | null;
  /** What would change the winner; null where that was not asked for. */
  readonly stressed: Stressed | null;
  /** How ranks went over versions of the table; null where that was not asked for. */
  readonly versioned: Versioned | null;
  readonly compare: ComparedData;
  /** What is in the page, in words. */
  readonly holds: string;
}

export interface ComparedData {
  /** The command that compares, without the systems. */
  readonly command: string;
  /** Whether the table has one score per task. */
  readonly byTask: boolean;
  /** Up to where two of these are equal: a share of their size, and a tie. */
  readonly rounding: number;
  readonly reach: number;
}

/** Tasks that are drawn together, as Python tells of them. */
export interface RawGroup {
  tasks: number[];
  units: number;
  gram: number[];
  sizes: number[];
  clustered: boolean;
  /** Numbers of the units of each task, null of all in their order; null if it is not kept what each adds. */
  numbers: (number[] | null)[] | null;
}

interface Content {
  title: string;
  systems: string[];
  tasks: {
    name: string;
    weight: number;
    higher_is_better: boolean;
    n_instances: number;
    pairs: number;
    tied: number;
    near: number;
  }[];
  level: string;
  confidence: number;
  replicates: number;
  drawn: string;
  notes: string[];
  notes_on_means: string[];
  command: string;
  imputed?: boolean;
  info: string;
  python: Sources;
  seed: number;
  varying: RawVarying;
  groups?: { by: PageData['groupedBy']; groups: TaskGroup[] };
  agreement?: AgreedContent;
  robustness?: Stressed;
  history?: VersionedContent;
  holds: string;
  compare: { command: string; by_task: boolean; rounding: number; reach: number };
  means?: MeansContent;
}

/** How tasks, and instances inside them, are drawn. */
export interface RawVarying {
  units: 'tasks' | 'instances';
  by_name: number[];
  families: number[];
  lone: boolean[];
  draws: string;
  flips: string;
  groups: RawGroup[];
  scored: boolean[];
}

interface MeansContent {
  /** Lowest and highest score of each task; null without a score. */
  ends: ([number, number] | null)[];
  sets: number[];
  reach: number;
}

/** Stands for a number that a replicate lacks. */
const NONE = -128;

export function pageData(bundle: Bundle): PageData {
  const content = bundle.content as Content;
  const tasks = content.tasks.map(({ higher_is_better: higherIsBetter, n_instances: instances, ...task }) => ({
    ...task,
    higherIsBetter,
    instances,
  }));
  const means = floats(bundle, 'means');
  const oriented = means.map((mean, cell) => (tasks[cell % tasks.length].higherIsBetter ? mean : -mean));
  const scored =
    bundle.arrays.get('scored')?.values ?? means.map((mean, cell) => wholeOf(mean, tasks[cell % tasks.length]));
  return {
    title: content.title,
    systems: content.systems,
    tasks,
    groups: content.groups?.groups ?? [],
    groupedBy: content.groups?.by ?? 'given',
    level: content.level,
    replicates: content.replicates,
    drawn: content.drawn,
    notes: content.notes,
    notesOnMeans: content.notes_on_means,
    command: content.command,
    imputed: content.imputed ?? false,
    infoCommand: content.info,
    python: content.python,
    seed: content.seed,
    means,
    scored,
    agreed:
      content.agreement === undefined
        ? null
        : agreedOf(
            content.agreement,
            content.systems,
            array(bundle, 'agreement ranks'),
            floats(bundle, 'agreement tau'),
          ),
    stressed: content.robustness ?? null,
    versioned:
      content.history === undefined
        ? null
        : {
            ...content.history,
            ranks: array(bundle, 'history ranks'),
            low: bundle.arrays.get('history low')?.values ?? null,
            high: bundle.arrays.get('history high')?.values ?? null,
          },
    compare: {
      command: content.compare.command,
      byTask: content.compare.by_task,
      rounding: content.compare.rounding,
      reach: content.compare.reach,
    },
    holds: content.holds,
    shares: {
      systems: content.systems.length,
      tasks: tasks.length,
      shares: floats(bundle, 'shares'),
      means: oriented,
      reach: content.means?.reach ?? content.compare.reach,
      pairs: bundle.arrays.get('pairs')?.values ?? null,
      instances: content.means === undefined ? null : countedOf(content.means, tasks, scored, bundle),
      confidence: content.confidence,
      scored: content.varying.scored,
      varying: varyingOf(content, bundle, oriented),
    },
  };
}

/** What other methods need of instances. */
function countedOf(
  { ends, sets }: MeansContent,
  tasks: readonly TaskInfo[],
  scored: NumberArray,
  bundle: Bundle,
): CountedInstances {
  return {
    sizes: tasks.map(({ instances }) => instances),
    ballots: floats(bundle, 'ballots'),
    byOrder: floats(bundle, 'by order'),
    scale: Float64Array.from(array(bundle, 'mean scale'), (exponent) => 2 ** exponent),
    ends: ends.map((own, task) => {
      if (own === null) return [NaN, NaN];
      return tasks[task].higherIsBetter ? own : [-own[1], -own[0]];
    }),
    sets,
    units: Float64Array.from(bundle.arrays.get('scored units')?.values ?? scored),
  };
}

/** How many instances a mean is of, where it is of all or none. */
function wholeOf(mean: number, { instances }: TaskInfo): number {
  return Number.isNaN(mean) ? 0 : instances;
}

function varyingOf(
  { varying, systems, replicates }: Content,
  bundle: Bundle,
  means: Float64Array,
): DrawnTasks | DrawnInstances {
  const drawing = drawingOf(varying, replicates);
  if (varying.units === 'tasks') return { units: 'tasks', ...drawing };
  const single = varying.groups.some(({ numbers }) => numbers !== null);
  const few = (name: string): Float64Array => (single ? floats(bundle, name) : new Float64Array(0));
  const all = { shares: few('contributions'), means: few('mean contributions'), mass: few('unit shares') };
  return {
    units: 'instances',
    ...drawing,
    groups: groupsOf(varying.groups, systems.length, all),
    drawn: array(bundle, 'drawn') as Uint8Array,
    shares: inSteps(bundle, floats(bundle, 'shares'), ''),
    ballots: valuesOf(inSteps(bundle, floats(bundle, 'ballots'), 'ballot ')),
    means: bundle.arrays.has('mean departures') ? inSteps(bundle, means, 'mean ') : null,
  };
}

/** How tasks are drawn. */
export function drawingOf(
  { by_name: byName, families, lone, draws, flips }: Omit<RawVarying, 'units' | 'groups' | 'scored'>,
  replicates: number,
): Omit<DrawnTasks, 'units'> {
  return { replicates, byName, families, lone, draws, flips };
}

/** Groups as they are told, with what each of their units adds: of all groups in one list. */
export function groupsOf(groups: readonly RawGroup[], systems: number, all: Omit<Kept, 'numbers'>): Group[] {
  let from = 0;
  return groups.map(({ numbers, gram, ...group }) => ({
    ...group,
    gram: Float64Array.from(gram),
    kept:
      numbers?.map((own, place) => {
        const [first, last] = [from, from + group.sizes[place]];
        from = last;
        return {
          numbers: own ?? Int32Array.from({ length: last - first }, (_, at) => at),
          mass: all.mass.subarray(first, last),
          shares: all.shares.subarray(first * systems, last * systems),
          means: all.means.subarray(first * systems, last * systems),
        };
      }) ?? null,
  }));
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
