import { expect, test } from 'vitest';
import type { Step } from '../transport/versioned';
import { courseInWords, drawnInWords, marksInWords } from './history';

function step(label: string, marked: Partial<Step> = {}): Step {
  return { label, entered: [], left: [], overtook: [], ...marked };
}

const STEPS = { steps: [step('May'), step('June'), step('July')], confidence: 0.95 };

type Row = [ranks: number[], low: number[] | null, high: number[] | null, overtook: number[], words: string];

test.each<Row>([
  [
    [4, 2, 2],
    [1, 1, 1],
    [4, 3, 3],
    [1],
    'm: rank 2 in July (95% ranks 1–3); at best 2, in June; at worst 4, in May. It overtook by more than noise in June.',
  ],
  [[1, 1, 1], [1, 1, 1], [1, 1, 1], [], 'm: rank 1 in July (95% rank 1).'],
  [[0, 3, 3], null, null, [], 'm: rank 3 in July. First ranked in June.'],
  [[2, 0, 0], [1, 0, 0], [2, 0, 0], [], 'm: no rank in July; before, rank 2 in May (95% ranks 1–2).'],
  [[0, 0, 0], null, null, [], 'm: no rank in any step.'],
])('ranks %o in words', (ranks, low, high, overtook, words) => {
  const ends = low === null || high === null ? null : { low, high };
  expect(courseInWords({ name: 'm', ranks, ends, overtook }, STEPS)).toBe(words);
});

test('many steps are counted, and few are named', () => {
  const steps = Array.from('abcd', (label) => step(label));
  const told = { name: 'm', ranks: [1, 1, 1, 1], ends: null };
  const said = (overtook: number[]): string => courseInWords({ ...told, overtook }, { steps, confidence: 0.95 });
  expect(said([1, 2, 3])).toBe('m: rank 1 in d. It overtook by more than noise in b, c and d.');
  expect(said([0, 1, 2, 3])).toBe('m: rank 1 in d. It overtook by more than noise in four steps.');
});

test('only marks that are drawn are explained', () => {
  expect(marksInWords([step('May'), step('June')], null, true)).toBe('');
  expect(marksInWords([step('May'), step('June', { entered: [1], left: [0] })], null, true)).toBe(
    'Ring: entered; cross: last seen.',
  );
  expect(marksInWords([step('May')], 0.95, true)).toBe('Band: 95% interval of the rank.');
  expect(marksInWords([step('May', { overtook: [0] })], 0.9, false)).toBe(
    'Band: 90% interval of the rank, of the six that are first now; star: overtook a system, and the gain is more than noise.',
  );
});

test('what is not drawn is said', () => {
  expect(drawnInWords(5, 5, { leaders: true, picked: false })).toBe('');
  expect(drawnInWords(30, 662, { leaders: true, picked: false })).toBe(
    'Drawn are 30 of 662 systems: the six that are first now, those that were first once, and the best of the others.',
  );
  expect(drawnInWords(31, 662, { leaders: false, picked: true })).toBe(
    'Drawn are 31 of 662 systems: the six that are first now, and some of those that were first once; and the one that you picked.',
  );
});
