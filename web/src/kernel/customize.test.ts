import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GradedTask, TaskKeys } from './box';
import { contentsFor, Customizer, type Graded, Impossible, type Measure, type Recipe } from './customize';
import { drawFour, instanceKeys } from './draw';
import { resampled } from './resample';
import { CASES, type Weighting } from './split';

const FOLDER = process.env.CASES_TO_CUSTOMIZE ?? join(import.meta.dirname, '../../cases/customize');

type Column = (number | null)[];

interface RawTask {
  name: string;
  weight: number;
  instances: number;
  goodness: Column;
  values: Column[];
  splits: (number[] | null)[];
  weights: number[] | null;
  keys: (TaskKeys | null)[];
}

interface Answer extends Recipe {
  score: Column;
  splitScores: Column;
  ranges?: Column[];
  intervals?: Record<string, Column>;
  /** How far numbers may be from those that other programs printed; 1e-12 of 100 without it. */
  tolerance?: number;
}

interface Case {
  systems: number;
  measures: Measure[];
  tasks: RawTask[];
  answers: Answer[];
}

const numbers = (column: Column): Float64Array => Float64Array.from(column, (value) => value ?? NaN);

function read(file: string): { graded: Graded; answers: Answer[] } {
  const { systems, measures, tasks, answers } = JSON.parse(readFileSync(join(FOLDER, file), 'utf-8')) as Case;
  const made = tasks.map((task): GradedTask => ({
    ...task,
    goodness: numbers(task.goodness),
    values: task.values.map(numbers),
    splits: task.splits.map((own) => (own === null ? null : Int8Array.from(own))),
    weights: task.weights === null ? null : Float64Array.from(task.weights),
  }));
  return { graded: { systems, measures, tasks: made }, answers };
}

function close(found: ArrayLike<number>, wanted: Column, tolerance: number): void {
  expect(found.length).toBe(wanted.length);
  wanted.forEach((value, index) => {
    if (value === null) expect(found[index]).toBeNaN();
    else expect(Math.abs(found[index] - value)).toBeLessThanOrEqual(tolerance);
  });
}

/** Numbers in percent, 1e-12 of what they were summed from. */
const PERCENT = ['score', 'splitScores', 'accuracy', 'splitAccuracy', 'inflation'] as const;

const WHOLE = ['rank', 'accuracyRank'] as const;

const COLUMNS = {
  stdError: 'std_error',
  low: 'score_low',
  high: 'score_high',
  rankLow: 'rank_low',
  rankHigh: 'rank_high',
  jointRankLow: 'joint_rank_low',
  jointRankHigh: 'joint_rank_high',
  tier: 'tier',
  mayBeFirst: 'may_be_first',
} as const;

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

test('there are cases', () => {
  expect(files.length).toBeGreaterThan(0);
});

describe.each(files)('%s', (file) => {
  const { graded, answers } = read(file);
  const customizer = new Customizer(graded);
  test.each(answers.map((answer, index) => [index, answer] as const))('answer %i', (_, wanted) => {
    const found = customizer.customize(wanted);
    const columns = wanted as unknown as Record<string, Column | undefined>;
    for (const name of PERCENT) {
      // what accuracy exceeds a score by can be many times of it
      const scale = name === 'inflation' ? Math.max(1, ...(columns[name] ?? []).map((one) => Math.abs(one ?? 0))) : 100;
      const column = columns[name];
      if (column !== undefined) close(found[name], column, wanted.tolerance ?? 1e-12 * scale);
    }
    for (const name of WHOLE) {
      const column = columns[name];
      if (column !== undefined) close(found[name], column, 0);
    }
    if (columns.sizes !== undefined) close(found.sizes, columns.sizes, 1e-9);
    const { ranges } = contentsFor(found.partition, 0);
    if (!graded.measures[wanted.measure].own)
      wanted.ranges?.forEach((range, split) => {
        close(ranges[split], range, 0);
      });
    if (wanted.tolerance !== undefined) return;
    const sure = resampled(graded, wanted, found, { confidence: 0.95, replicates: 60 });
    expect(typeof sure === 'string').toBe(wanted.intervals === undefined);
    if (typeof sure === 'string' || wanted.intervals === undefined) return;
    for (const [name, column] of Object.entries(COLUMNS))
      close(
        sure[name as keyof typeof COLUMNS],
        wanted.intervals[column],
        name.includes('ank') || name === 'tier' || name === 'mayBeFirst' ? 0 : 1e-10,
      );
  });
});

test('draws are those of Python', () => {
  // podium.tally.draw.draws(instance_keys(np.uint64(1), 0, 3), 4, 4)
  const keys = instanceKeys('0000000000000001', 3);
  expect(Array.from(keys.high, (half, at) => (BigInt(half) << 32n) | BigInt(keys.low[at]))).toEqual(KEYS);
  expect(drawFour(keys, 1).map((lane) => [...lane])).toEqual(LANES);
});

const KEYS = [10451216379200822465n, 13757245211066428519n, 17911839290282890590n];

const LANES = [
  [3, 2, 1],
  [0, 1, 1],
  [1, 2, 0],
  [3, 0, 1],
];

test.each<[string, Partial<Weighting>]>([
  ['With a reward of 0', CASES[2].weighting],
  ['The penalty is not below', { penalty: { number: 1, power: 0 } }],
  ['one weight for each', { weights: [1, 2] }],
  ['Every split has weight 0', { weights: [0, 0, 0] }],
])('%s', (said, weighting) => {
  expect(() => ask({ ...CASES[0].weighting, ...weighting }, [0.1, 0.2, 0.3])).toThrow(said);
});

test.each([
  ['is 0 on some instances', [0, 0.5, 1]],
  ['below 0', [-1, 0.5, 1]],
  ['fewer instances than splits', [1, 2]],
])('%s', (said, values) => {
  expect(() => ask(CASES[5].weighting, values)).toThrow(said);
  expect(() => ask(CASES[5].weighting, values)).toThrow(Impossible);
});

const BIAS: Measure = { name: 'bias', hard: 'low', own: false, levels: ['two', 'one'], splits: null, notes: [] };

function ask(weighting: Weighting, values: number[]): void {
  const task: GradedTask = {
    name: 't',
    weight: 1,
    instances: values.length,
    goodness: new Float64Array(values.length),
    values: [Float64Array.from(values)],
    splits: [null],
    weights: null,
    keys: [null],
  };
  const measures = [BIAS];
  const splitting = { by: 'equal', count: 3, marks: [], ties: 'share', level: 'two' } as const;
  new Customizer({ systems: 1, measures, tasks: [task] }).customize({ measure: 0, splitting, weighting });
}

test('a threshold on 10 systems × 25,000 instances takes less than a frame', () => {
  const instances = 25_000;
  const task: GradedTask = {
    name: 't',
    weight: 1,
    instances,
    goodness: Float64Array.from({ length: 10 * instances }, (_, at) => (at * 7919) % 2),
    values: [Float64Array.from({ length: instances }, (_, at) => ((at * 7919) % instances) / instances)],
    splits: [null],
    weights: null,
    keys: [null],
  };
  const customizer = new Customizer({
    systems: 10,
    measures: [BIAS],
    tasks: [task],
  });
  const asked = (mark: number): Recipe => ({
    measure: 0,
    splitting: { by: 'thresholds', count: 4, marks: [0.2, mark, 0.9], ties: 'share', level: 'two' },
    weighting: CASES[3].weighting,
  });
  for (let warm = 0; warm < 20; warm += 1) customizer.customize(asked(0.3 + warm / 100));
  const started = process.cpuUsage();
  for (let turn = 0; turn < 20; turn += 1) customizer.customize(asked(0.3 + turn / 90));
  const { user, system } = process.cpuUsage(started); // microseconds; other programs may run
  expect((user + system) / 20_000).toBeLessThan(16);
});
