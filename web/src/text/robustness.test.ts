import { expect, test } from 'vitest';
import type { Stress } from '../transport/stressed';
import { robustnessInWords, verdictText } from './robustness';

function stress(name: string, broken: boolean): Stress {
  const [breakdown, one] = [[broken ? 1 : null], [0, 1]];
  return { name: '', axis: name, strengths: one, places: one, mean: [one], low: [one], high: [one], breakdown };
}

test.each([
  [['a'], [], ['x', 'y'], 'a keeps the first place in at least half of the cases, under both kinds of stress.'],
  [
    ['a', 'b'],
    [],
    ['x'],
    'a and b keep the first place in at least half of the cases, under the one kind of stress that was tried.',
  ],
  [['a'], ['x'], ['y'], 'a loses the first place in more than half of the cases under one of two kinds of stress: x.'],
  [['a'], ['x'], [], 'a loses the first place in more than half of the cases under stress: x.'],
  [
    ['a'],
    ['w', 'x', 'y', 'z', 'v'],
    [],
    'a loses the first place in more than half of the cases under five of five kinds of stress: w, x, y and two more.',
  ],
])('%o under %o and not under %o', (leaders, broken, kept, sentence) => {
  const stresses = [...broken.map((name) => stress(name, true)), ...kept.map((name) => stress(name, false))];
  const parts = robustnessInWords({ leaders: [leaders], stresses });
  expect(parts.map(({ text }) => text).join('')).toBe(sentence);
});

test('sentences begin with a capital, and names as they are', () => {
  expect(verdictText('the leader stays first')).toBe('The leader stays first.');
  expect(verdictText('if 1 task is left out, m7 stays first')).toBe('If 1 task is left out, m7 stays first.');
  expect(verdictText('m7 is first by borda')).toBe('m7 is first by borda.');
});
