import { expect, test } from 'vitest';
import { holesOf } from '../kernel/hole';
import { holesInWords, linked, verdictInWords } from './note';

function said(systems: readonly string[], tasks: readonly string[], scored: readonly number[], size = 1): string {
  const holes = holesOf({ systems: systems.length, sizes: tasks.map(() => size), scored });
  return holesInWords(holes, systems, tasks)
    .map(({ text }) => text)
    .join('');
}

test.each([
  [['a', 'b', 'c'], ['t', 'u'], [1, 1, 1, 1, 1, 1], 'All three systems have scores on both tasks.'],
  [['a', 'b'], ['t'], [1, 1], 'Both systems have scores on t.'],
  [['a', 'b'], ['t'], [1, 0], 'One of two scores is missing: of b.'],
  [['a', 'b'], ['t', 'u', 'v'], [0, 1, 0, 1, 1, 1], 'Two of six scores are missing, all of them of a.'],
  [['a', 'b', 'c'], ['t', 'u'], [0, 0, 0, 1, 0, 1], 'Four of six scores are missing, most of them on t.'],
  [
    ['a', 'b', 'c'],
    ['t', 'u'],
    [0, 1, 1, 0, 1, 1],
    'Two of six scores are missing: two of three systems lack some, on both tasks.',
  ],
])('of %o on %o with %o', (systems, tasks, scored, sentence) => {
  expect(said(systems, tasks, scored)).toBe(sentence);
});

test('names in notes lead somewhere, and words do not', () => {
  const [systems, tasks] = [
    ['M7', 'M70', 'score', 'b'],
    ['rte', 'T 1'],
  ];
  expect(linked('M70 and M7 have a score on T 1', systems, tasks)).toEqual([
    { text: 'M70', system: 1 },
    { text: ' and ' },
    { text: 'M7', system: 0 },
    { text: ' have a score on ' },
    { text: 'T 1', task: 1 },
  ]);
  expect(linked("left out: b, rte; 'score' is not", systems, tasks).filter(({ text }) => text.length < 6)).toEqual([
    { text: 'b', system: 3 },
    { text: ', ' },
    { text: 'rte', task: 0 },
    { text: "; '" },
    { text: 'score', system: 2 },
  ]);
  expect(linked('', systems, tasks)).toEqual([]);
});

test('names in a verdict are set apart, of those that begin alike the longest one', () => {
  const said = (sentence: string): string[] =>
    verdictInWords(sentence, ['m', 'm 2', 'M7']).map(({ text, strong }) => (strong === true ? `<${text}>` : text));
  expect(said('m 2 is first in both steps')).toEqual(['<m 2>', ' is first in both steps', '.']);
  expect(said('m, M7 and one more share it')).toEqual(['<m>', ', ', '<M7>', ' and one more share it', '.']);
  expect(said('who is first depends: M7 by mean')).toEqual(['Who is first depends: ', '<M7>', ' by mean', '.']);
});
