import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { disagreements, ONE_SCORE, pairedEffect } from './paired';
import { ownReach, pooled, weighed } from './pooling';
import { suiteEffect, type SuiteTask, type UnitGroup } from './suite';
import { commonScale, type TaskTable, taskTests } from './task-tests';

type Column = (number | null)[];

const FOLDER = join(import.meta.dirname, '../../cases');

const files = (folder: string): string[] => readdirSync(join(FOLDER, folder));

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, folder, file), 'utf-8'));
}

const numbers = (column: Column): Float64Array => Float64Array.from(column, (value) => value ?? NaN);

/** Equal to 1e-12 of a scale. */
function close(found: number, wanted: number | null, scale: number): void {
  if (wanted === null) expect(found).toBeNaN();
  else expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1e-12 * scale);
}

interface Compared {
  systems: number;
  tasks: (Omit<SuiteTask, 'scores' | 'weights' | 'clusters' | 'units'> & {
    name: string;
    scores: Column;
    weights: number[] | null;
    clusters: number[] | null;
    units: number[];
  })[];
  units: UnitGroup[];
  answers: {
    control: number;
    treatment: number;
    confidence: number;
    binary: boolean;
    tasks: Record<string, number | string | null>[];
    summary: Record<string, number | null>;
    suite: Record<string, number | boolean | null>;
    smd: [string, number, number][] | null;
  }[];
}

describe.each(files('compare'))('%s', (file) => {
  const { tasks, units, answers } = read('compare', file) as Compared;
  const held = tasks.map((task) => ({
    ...task,
    scores: numbers(task.scores),
    weights: task.weights && Float64Array.from(task.weights),
    clusters: task.clusters && Int32Array.from(task.clusters),
    units: Int32Array.from(task.units),
  }));

  test.each(answers)(
    '$control and $treatment on these tasks, and in standard deviations',
    ({ control, treatment, confidence, suite, smd }) => {
      const found = suiteEffect(held, units, [control, treatment], confidence);
      const scale = Math.max(...held.flatMap(({ scores }) => Array.from(scores, (one) => Math.abs(one) || 0)));
      for (const name of ['tasks', 'n', 'units', 'better', 'worse', 'binary'] as const)
        expect(found[name]).toBe(suite[name]);
      for (const name of ['effect', 'low', 'high', 'smallest'] as const)
        close(found[name], suite[name] as number | null, scale);
      close(found.freedom, suite.df as number, found.freedom || 1);
      close(found.p, suite.p as number | null, 1e4); // the saddlepoint is found to nine digits
      close(found.balance, suite.balance as number, 1);
      const standardised = held
        .map((task) => ({ ...task, ...pairedEffect(task, control, treatment, 'smd') }))
        .filter(({ weight }) => weight > 0);
      expect(standardised.some(({ why }) => why === ONE_SCORE)).toBe(smd === null);
      const kept = standardised.filter(({ why }) => why === '');
      if (smd !== null) expect(kept.map(({ name }) => name)).toEqual(smd.map(([name]) => name));
      smd?.forEach(([, effect, variance], at) => {
        close(kept[at].effect, effect, Math.max(Math.abs(effect), 1));
        close(kept[at].variance, variance, variance);
      });
    },
  );

  test.each(answers)(
    '$control and $treatment',
    ({ control, treatment, confidence, binary, tasks: wanted, summary }) => {
      const { tasks: effects, variances } = weighed(
        held.map((task) => ({ ...task, ...pairedEffect(task, control, treatment) })),
      );
      const kept = effects.filter(({ why, weight }) => why === '' && weight > 0);
      expect(kept.map(({ name }) => name)).toEqual(wanted.map(({ task }) => task));
      expect(kept.every((task) => task.binary)).toBe(binary);
      const made = pooled(
        kept.map(({ effect }) => effect),
        variances,
        confidence,
      );
      kept.forEach((found, at) => {
        const row = wanted[at] as Record<string, number | null>;
        expect(found.n).toBe(row.n);
        if (row.better !== null) expect([found.better, found.worse]).toEqual([row.better, row.worse]);
        const scale = Math.max(Math.abs(row.control_mean ?? 0), Math.abs(row.treatment_mean ?? 0), 1);
        close(found.control, row.control_mean, scale);
        close(found.treatment, row.treatment_mean, scale);
        close(found.effect, row.effect, scale);
        close(found.variance, row.variance, row.variance ?? 1);
        const reach = ownReach(found.variance, confidence);
        close(found.effect - reach, row.low, scale);
        close(found.effect + reach, row.high, scale);
        close(made.weights[at], row.weight, 1);
      });
      const scale = Math.max(...kept.map(({ effect }) => Math.abs(effect)), 1);
      expect(made.tasks).toBe(summary.k);
      if (summary.df === null) expect(made.freedom).toBe(Infinity);
      else close(made.freedom, summary.df, made.tasks);
      for (const [name, key] of [
        ['effect', 'effect'],
        ['low', 'low'],
        ['high', 'high'],
        ['newLow', 'prediction_low'],
        ['newHigh', 'prediction_high'],
      ] as const)
        close(made[name], summary[key], scale);
      for (const [name, key] of [
        ['tau2', 'tau2'],
        ['q', 'q'],
        ['i2', 'i2'],
        ['qP', 'q_p'],
      ] as const)
        close(made[name], summary[key], Math.max(Math.abs(summary[key] ?? 1), name === 'tau2' ? 0 : 1));
    },
  );
});

interface Tested extends Omit<TaskTable, 'means'> {
  means: Column;
  answers: (Record<string, number | null> & { tasks: number[]; differences: number[] })[];
}

describe.each(files('task-tests'))('%s', (file) => {
  const { answers, means, ...table } = read('task-tests', file) as Tested;

  test.each([0, 1])('control %i', (control) => {
    const wanted = answers[control];
    const whole = { ...table, means: numbers(means) };
    const found = taskTests(whole, [control, 1 - control], 0.9, !Number.isNaN(commonScale(whole)));
    expect(found.tasks).toEqual(wanted.tasks);
    expect([...found.differences]).toEqual(wanted.differences);
    for (const name of ['wins', 'ties', 'losses'] as const) expect(found[name]).toBe(wanted[name]);
    for (const [name, key] of [
      ['signP', 'sign_p'],
      ['rankSum', 'rank_sum'],
      ['wilcoxonP', 'wilcoxon_p'],
      ['mean', 'mean'],
      ['low', 'low'],
      ['high', 'high'],
      ['tP', 't_p'],
    ] as const)
      close(found[name], wanted[key], Math.max(Math.abs(wanted[key] ?? 1), name.endsWith('P') ? 0 : 1));
  });
});

test('the hardest instances come first; of numbers the largest differences', () => {
  const task = (number: number, rows: number[][]): Parameters<typeof disagreements>[0][number] => ({
    task: number,
    instances: rows[0].length,
    scores: Float64Array.from(rows.flat()),
    higherIsBetter: true,
    weights: null,
    clusters: null,
  });
  const right = task(0, [
    [1, 0, 1, 1],
    [0, 1, 1, 0],
    [1, 0, 0, NaN],
  ]);
  const found = disagreements([right], 3, [0, 1], true);
  expect(found.map(({ instance, right: of, scored }) => [instance, of, scored])).toEqual([
    [1, 1, 3],
    [3, 1, 2],
    [0, 2, 3],
  ]);
  const some = task(1, [
    [1, 5, 2],
    [2, 5, 8],
  ]);
  const other = task(2, [
    [0, 0.5],
    [0.9, 0],
  ]);
  expect(disagreements([some, other], 2, [0, 1], false).map((one) => [one.task, one.instance])).toEqual([
    [1, 2],
    [2, 0],
    [2, 1],
    [1, 0],
  ]);
});
