import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isStrength } from './bradley-terry';
import { type CountedTask, Recount, withInstances } from './recount';
import { among, drawnAmong, waysAmong } from './subset';
import type { Battles, Instances, Stepped, Tallies } from './tallies';
import { rankBy, type Ranking } from './uncertainty';
import { unitsBy } from './unit';
import { isVarying, type Way } from './way';
import { keysOf } from '../transport/instances';
import { groupsOf, type RawVarying } from '../transport/page-data';

/** Those of the repository, or a folder of others. */
const FOLDER = process.env.RANKING_CASES ?? join(import.meta.dirname, '../../cases/ranking');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

interface Expected {
  way: Way;
  weights: number[];
  /** Null if strengths have no maximum. */
  score: (number | null)[] | null;
  rank: number[];
  std_error?: (number | null)[];
  score_low?: (number | null)[];
  score_high?: (number | null)[];
  rank_low?: number[];
  rank_high?: number[];
  joint_rank_low?: number[];
  joint_rank_high?: number[];
  tier?: number[];
  may_be_first?: boolean[];
}

interface Case {
  systems: number;
  tasks: number;
  shares: number[];
  means: (number | null)[];
  reach: number;
  pairs: number[] | null;
  battles?: { cells: number[]; numbers: number[]; drawn: number[] };
  instances?: {
    sizes: number[];
    ballots: number[];
    byOrder: number[];
    exponents: number[];
    ends: ([number, number] | null)[];
    sets: number[];
    units: number[];
  };
  confidence: number;
  replicates: number;
  varying: RawVarying & {
    shares: number[];
    drawn: number[];
    ballots: number[];
    means: (number | null)[];
    contributions?: number[];
    'mean contributions'?: number[];
    'unit shares'?: number[];
  };
  rankings: Expected[];
  table?: {
    scores: (number | null)[];
    weights: number[] | null;
    units: number[] | null;
    draw: string | null;
    draws: number[] | null;
  }[];
  /** Whether scores of instances are needed. */
  subsets: (Expected & { kept: number[]; needs: boolean })[];
}

function read(file: string): Case {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf-8')) as Case;
}

const floats = (values: readonly (number | null)[] | undefined): Float64Array =>
  Float64Array.from(values ?? [], (value) => value ?? NaN);

function instancesOf({ exponents, ...told }: NonNullable<Case['instances']>): Instances {
  return {
    ...told,
    units: floats(told.units),
    ballots: floats(told.ballots),
    byOrder: floats(told.byOrder),
    scale: Float64Array.from(exponents, (exponent) => 2 ** exponent),
  };
}

/** Numbers in replicates with all their digits. */
function exactly(departures: Float64Array, cells: number): Stepped {
  return { centre: new Float64Array(cells), steps: new Float64Array(cells).fill(1), departures };
}

function battlesOf({ cells, numbers, drawn }: NonNullable<Case['battles']>): Battles {
  return { cells: Int32Array.from(cells), numbers: Float64Array.from(numbers), drawn };
}

function talliesOf({ systems, tasks, shares, means, instances, reach, pairs, confidence, ...told }: Case): Tallies {
  const { varying, battles } = told;
  const drawing = { ...varying, replicates: told.replicates };
  return {
    systems,
    tasks,
    shares: floats(shares),
    means: floats(means),
    reach,
    pairs,
    battles: battles === undefined ? null : battlesOf(battles),
    instances: instances === undefined ? null : instancesOf(instances),
    scored: varying.scored,
    confidence,
    varying:
      varying.units === 'tasks'
        ? { ...drawing, units: 'tasks' }
        : {
            ...drawing,
            units: 'instances',
            shares: exactly(floats(varying.shares), systems * tasks),
            means: exactly(floats(varying.means), systems * tasks),
            drawn: Uint8Array.from(varying.drawn),
            ballots: floats(varying.ballots),
            groups: groupsOf(varying.groups, systems, {
              shares: floats(varying.contributions),
              means: floats(varying['mean contributions']),
              mass: floats(varying['unit shares']),
            }),
          },
  };
}

function tableOf({ table, systems }: Case): CountedTask[] {
  return (table ?? []).map(({ scores, weights, units, draw, draws }) => ({
    scores: floats(scores),
    weights: weights && Float64Array.from(weights),
    units: units && Int32Array.from(units),
    keys: keysOf(draw, draws ?? undefined, scores.length / systems),
  }));
}

/** Beside numbers of Python; 1e-12 of a share is less than rounding of a sum in another order can move it. */
function close(found: ArrayLike<number> | undefined, wanted: (number | null)[] | undefined, tolerance: number): void {
  expect(found?.length).toBe(wanted?.length);
  wanted?.forEach((value, index) => {
    if (value === null) expect(found?.[index]).toBeNaN();
    else expect(Math.abs((found?.[index] ?? NaN) - value)).toBeLessThanOrEqual(tolerance);
  });
}

/** Degrees of freedom of many units are known as well as sixty replicates show them; and ends to so many errors. */
const OF_REPLICATES = 0.02;

/** Pulls on strengths cancel to 1e-12 of their size, and what is left moves strengths by more where few battles hold them. */
const FITTED = 1e3;

interface Digits {
  /** Of numbers that are sums: those that are fitted are as exact as the fit. */
  size: number;
  exact: boolean;
  /** Without some systems the lowest and highest scores of the rest are not known, and ends may reach as far as those of all. */
  further?: boolean;
}

function alike(found: Ranking, wanted: Expected, { size, exact, further }: Digits): void {
  if (wanted.score === null) {
    expect(found.score.every((score) => Number.isNaN(score))).toBe(true);
    return;
  }
  close(found.score, wanted.score, 1e-12 * size);
  close(found.rank, wanted.rank, 0);
  if (found.intervals === null) return;
  close(found.intervals.stdError, wanted.std_error, 1e-12 * size);
  const widest = found.intervals.stdError.reduce((most, error) => Math.max(most, error || 0), 0);
  const near = exact ? 1e-11 * size : OF_REPLICATES * widest; // after Student's quantile and a cube root
  const { low, high } = found.intervals;
  const short = (end: Float64Array, all: (number | null)[] | undefined, sign: number): Float64Array =>
    end.map((value, at) => (further === true && sign * (value - (all?.[at] ?? NaN)) > 0 ? (all?.[at] ?? NaN) : value));
  close(short(low, wanted.score_low, -1), wanted.score_low, near);
  close(short(high, wanted.score_high, 1), wanted.score_high, near);
  close(found.intervals.rankLow, wanted.rank_low, 0);
  close(found.intervals.rankHigh, wanted.rank_high, 0);
  close(found.intervals.jointRankLow, wanted.joint_rank_low, 0);
  close(found.intervals.jointRankHigh, wanted.joint_rank_high, 0);
  close(found.intervals.tier, wanted.tier, 0);
  expect(Array.from(found.intervals.mayBeFirst, Boolean)).toEqual(wanted.may_be_first);
}

test('there are cases', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(8);
});

describe.each(FILES)('%s', (file) => {
  const content = read(file);
  const tallies = talliesOf(content);
  const size = Math.max(1, ...tallies.means.filter((mean) => !Number.isNaN(mean)).map(Math.abs));
  const exact = content.varying.groups.every(({ numbers }) => numbers !== null);
  test.each(content.rankings.map((ranking) => [ranking.way, ranking] as const))('%s', (way, wanted) => {
    const found = rankBy(tallies, way, Float64Array.from(wanted.weights));
    alike(found, wanted, { size: isStrength(way) ? FITTED * size : size, exact });
    expect(found.intervals === null).toBe(wanted.tier === undefined);
  });

  const held = content.subsets.filter(({ needs }) => !needs);
  test.each(held.map((ranking) => [ranking.way, ranking] as const))('%s of some systems', (way, wanted) => {
    const some = among(tallies, wanted.kept);
    expect(waysAmong(tallies)).toContain(way);
    const found = rankBy(some, way, Float64Array.from(wanted.weights));
    alike(found, wanted, {
      size: isStrength(way) ? FITTED * size : size,
      exact,
      further: way === 'mean' && content.instances !== undefined,
    });
    if (isVarying(some, way, unitsBy(some, Float64Array.from(wanted.weights))))
      expect(found.intervals === null).toBe(wanted.tier === undefined);
  });

  const counted = content.table === undefined ? [] : content.subsets;
  test.each(counted.map((ranking) => [ranking.way, ranking] as const))('%s of some systems anew', (way, wanted) => {
    const recount = new Recount(tableOf(content), tallies, wanted.kept);
    const some = drawnAmong(tallies, wanted.kept, recount);
    const found = rankBy(some, way, Float64Array.from(wanted.weights));
    alike(found, wanted, { size, exact: true });
    expect(found.intervals === null).toBe(wanted.tier === undefined);
    const shares = among({ ...tallies, pairs: null }, wanted.kept, recount).shares;
    if (tallies.pairs !== null) close(shares, Array.from(among(tallies, wanted.kept).shares), 1e-14);
  });
});

test.each(FILES.filter((file) => read(file).table !== undefined))('%s with systems that come later', (file) => {
  const content = read(file);
  const all = talliesOf(content);
  const kept = Array.from({ length: all.systems - 1 }, (_, system) => system);
  const before = drawnAmong(all, kept, new Recount(tableOf(content), all, kept));
  const size = Math.max(1, ...all.means.filter((mean) => !Number.isNaN(mean)).map(Math.abs));
  const joined = withInstances(before, tableOf(content));
  for (const wanted of new Map(content.rankings.map((one) => [one.way, one])).values()) {
    if (isStrength(wanted.way)) continue;
    const found = rankBy(joined, wanted.way, Float64Array.from(wanted.weights));
    alike(found, wanted, { size, exact: true });
    expect(found.intervals === null).toBe(wanted.tier === undefined);
  }
});

test('of fifty instances and fewer that are not kept nothing is claimed, and of more what Student says', () => {
  const data = talliesOf(read('few-instances.json'));
  if (data.varying?.units !== 'instances') throw new Error('instances are drawn');
  for (const group of data.varying.groups) Object.assign(group, { kept: null });
  const weights = new Float64Array(data.tasks).fill(1);
  expect(rankBy(data, 'balanced', weights)).toMatchObject({ intervals: null, doubt: 'units' });
  for (const group of data.varying.groups) Object.assign(group, { units: 60, sizes: [60] });
  for (const group of data.varying.groups) Object.assign(group, { gram: group.gram.map(() => 1 / 60) });
  const found = rankBy(data, 'balanced', weights);
  expect(found.doubt).toBe('student');
  expect(found.intervals?.rankHigh.every((rank) => rank > 0)).toBe(true);
});

test('replicates that draw nothing that weighs are left out, as far as they are few', () => {
  const data = talliesOf(read('many-tasks.json'));
  const weights = Float64Array.from({ length: data.tasks }, (_, task) => (task < 9 ? 1 : 0));
  const found = rankBy(data, 'balanced', weights).intervals;
  expect(found === null || found.stdError.every((error) => error > 0)).toBe(true);
  weights.fill(0, 1);
  expect(rankBy(data, 'balanced', weights).intervals).toBeNull();
});
