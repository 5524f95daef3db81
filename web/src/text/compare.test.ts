import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pairedEffect } from '../kernel/paired';
import { isKept, pooled, turning, weighed } from '../kernel/pooling';
import type { TaskTests } from '../kernel/task-tests';
import type { Suite } from '../kernel/suite';
import {
  compareCommand,
  DEPENDENT,
  doubtOfTwo,
  doubts,
  doubtsOfPooling,
  effectInWords,
  endText,
  testsInWords,
  unitsOf,
} from './compare';

const FOLDER = join(import.meta.dirname, '../../cases/compare');

interface Case {
  tasks: {
    name: string;
    weight: number;
    instances: number;
    higherIsBetter: boolean;
    scores: (number | null)[];
    weights: number[] | null;
    clusters: number[] | null;
  }[];
  answers: { control: number; treatment: number; confidence: number; notes: string[]; suite: Suite }[];
}

/** A note without what the page leaves out, or says for its own options. */
function plain(note: string): string {
  return note
    .replace(/ \(\d+(, effective[^)]*)?\)/g, '')
    .replace('2 instances scored for both systems', 'two instances scored for both')
    .replace(/ \(Q = [^)]*\)/, '')
    .replace(/compare .*--interval normal\)?/, 'compare --interval normal')
    .replace(/use effect 'smd'( \(-e smd\))?/, 'smd');
}

test.each(readdirSync(FOLDER))('a page says what podium compare notes: %s', (file) => {
  const { tasks, answers } = JSON.parse(readFileSync(join(FOLDER, file), 'utf-8')) as Case;
  for (const { control, treatment, confidence, notes, suite } of answers) {
    const measured = tasks.map((task) => ({
      ...task,
      ...pairedEffect(
        {
          ...task,
          scores: Float64Array.from(task.scores, (score) => score ?? NaN),
          weights: task.weights && Float64Array.from(task.weights),
          clusters: task.clusters && Int32Array.from(task.clusters),
        },
        control,
        treatment,
      ),
      clustered: task.clusters !== null,
    }));
    const { tasks: effects, variances, alike } = weighed(measured);
    const kept = effects.filter(isKept);
    const given = [kept.map(({ effect }) => effect), [...variances], confidence] as const;
    const binary = kept.every((one) => one.binary);
    const found = pooled(...given);
    const told = [
      ...doubts(effects, 'md', binary, alike),
      ...doubtsOfPooling(kept, found, turning(...given), variances),
      ...doubtOfTwo(suite, found, kept),
    ];
    expect(told.map(plain).sort()).toEqual(notes.map(plain).sort());
  }
});

const FOUND = {
  tasks: 7,
  effect: -0.018,
  low: -0.03,
  high: -0.006,
  freedom: 5.2,
  newLow: -0.038,
  newHigh: 0.002,
  tau2: 4e-5,
  i2: 0.67,
  q: 28.9,
  qP: 1e-4,
  weights: new Float64Array(7),
};

const words = (parts: readonly { text: string }[]): string => parts.map(({ text }) => text).join('');

const SUITE: Suite = {
  effect: -0.018,
  low: -0.03,
  high: -0.006,
  p: 0.004,
  freedom: 300,
  tasks: 7,
  n: 900,
  units: 900,
  better: 20,
  worse: 36,
  balance: -0.018,
  smallest: 0.017,
  binary: true,
};

const POINTS = unitsOf('md', true);

test('both answers are said in points: on these tasks, and on others like these', () => {
  const { sentence, how } = effectInWords(['A', 'B'], SUITE, FOUND, POINTS, 0.95);
  expect(words(sentence)).toBe('B is 1.8 points worse than A on these seven tasks.');
  expect(how).toBe(
    'Between −3.0 and −0.6 points (95%; 20 instances better, 36 worse, p = 0.004). ' +
      'On other tasks like these: on average 1.8 points worse, between −3.0 and −0.6 (95%). ' +
      'Tasks differ: of the variation, 67% is more than chance. ' +
      'On a task nobody has run, expect between −3.8 and 0.2 (95%).',
  );
  expect(effectInWords(['A', 'B'], SUITE, null, POINTS, 0.95).how).toContain(DEPENDENT);
  const open = { ...SUITE, high: 0.001, balance: 0.002 };
  expect(effectInWords(['A', 'B'], open, FOUND, POINTS, 0.95).how).toContain(
    'More instances got better than worse, but on average it is worse. This comparison would detect 1.7 points with a chance of 80%.',
  );
  const few = { ...SUITE, low: NaN, high: NaN, p: NaN, units: 4 };
  const unsure = effectInWords(['A', 'B'], few, FOUND, POINTS, 0.95);
  expect(words(unsure.sentence)).toContain('on these seven tasks; how sure that is cannot be said.');
  expect(unsure.how).toContain('4 units are too few for an interval (20 instances better, 36 worse).');
});

test('standard deviations are said of other tasks only', () => {
  const { sentence, how } = effectInWords(['A', 'B'], null, { ...FOUND, effect: -0.4 }, unitsOf('smd', false), 0.95);
  expect(words(sentence)).toBe('B is 0.400 standard deviations worse than A over tasks like these.');
  expect(how).toMatch(/^On other tasks like these: on average 0.400 standard deviations worse/);
});

test('no end of an interval is a negative zero', () => {
  expect([-0.0048, 0.0048, -0.3, -0.00096, 0].map((end) => endText(end, 2))).toEqual([
    ...['−0.005', '0.00', '−0.30', '−0.001', '0.00'],
  ]);
});

test.each([
  [{ high: 0.001 }, 'B is perhaps 1.8 points worse than A on these seven tasks, or no different.'],
  [{ effect: 0.018, low: 0.006, high: 0.03 }, 'B is 1.8 points better than A on these seven tasks.'],
  [{ effect: 0, low: -0.03, high: 0.03 }, 'B and A score the same on these seven tasks.'],
  [{ tasks: 1 }, 'B is 1.8 points worse than A on this task.'],
])('%o', (change, sentence) => {
  expect(words(effectInWords(['A', 'B'], { ...SUITE, ...change }, FOUND, POINTS, 0.95).sentence)).toBe(sentence);
});

const TESTS: TaskTests = {
  tasks: [0, 1, 2, 3],
  differences: Float64Array.of(0.1, 0.2, -0.1, 0),
  wins: 2,
  ties: 1,
  losses: 1,
  signP: 1,
  rankSum: 4.5,
  wilcoxonP: 0.75,
  mean: 0.05,
  low: -0.16,
  high: 0.26,
  tP: 0.5,
};

test('tests over tasks are said with what may be chance', () => {
  const { sentence, how } = testsInWords(['A', 'B'], TESTS, 0.95);
  expect(words(sentence)).toBe(
    'B is better than A on two of four tasks, worse on one and equal on one, which may be chance.',
  );
  expect(how).toBe(
    'Wilcoxon’s signed-rank test p = 0.75; sign test p = 1.00; both exact. ' +
      'On average the difference is 0.05, between −0.16 and 0.26 (95%).',
  );
  const all = testsInWords(['A', 'B'], { ...TESTS, wins: 4, ties: 0, losses: 0, wilcoxonP: 0.01, mean: NaN }, 0.95);
  expect(words(all.sentence)).toBe('B is better than A on all four tasks.');
  expect(all.how).toContain('nothing is averaged');
});

test('names are quoted for a shell, and tasks of weight 0 left out', () => {
  const asked = { tasks: ['t', 'a,b'], weights: [2, 0] };
  expect(compareCommand('podium compare s.csv', ['-x', "it's"], 'smd', asked)).toBe(
    `podium compare s.csv --control=-x '--treatment=it'"'"'s' --effect smd --task-weights 't=2,a\\,b=0'`,
  );
});
