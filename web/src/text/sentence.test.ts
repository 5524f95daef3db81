import { expect, test } from 'vitest';
import { answerInWords, inWords, percent, scopeInWords, type Answer } from './sentence';

const SYSTEMS = ['A', 'B', 'C', 'D'];

function said(answer: Partial<Answer>): string {
  const parts = answerInWords({
    systems: SYSTEMS,
    ranked: SYSTEMS.length,
    first: [0],
    best: [0],
    confidence: 0.95,
    scope: scopeInWords('instances', 8),
    ...answer,
  });
  return parts.map(({ text }) => text).join('');
}

test.each([
  [{}, 'A is first (95% confidence, on these 8 tasks).'],
  [{ scope: scopeInWords('tasks', 8) }, 'A is first (95% confidence, over other tasks like these).'],
  [{ best: [0, 1] }, 'A is first, and B may be as good (95% confidence, on these 8 tasks).'],
  [{ best: [0, 1, 2] }, 'A is first, and two others may be as good (95% confidence, on these 8 tasks).'],
  [{ best: [0, 1, 2, 3] }, 'Any of the four systems may be the best (95% confidence, on these 8 tasks).'],
  [{ first: [0, 1, 3], best: null }, 'A, B and D share the first rank.'],
  [
    { first: [0, 1], best: [0, 1, 3], scope: scopeInWords('instances', 1) },
    'A and B share the first rank, and D may be as good (95% confidence, on this task).',
  ],
  [
    { best: [0, 1], coverage: [0.399, 1, 0.1, 0.1], missing: 0.6 },
    'A leads on what was run, and B may be as good (95% confidence, on these 8 tasks).' +
      ' 60% of the scores are missing, and A has 40% of its own.',
  ],
  [
    { best: [0, 1], coverage: [0.8, 1, 0.1, 0.1] },
    'A is first, and B may be as good (95% confidence, on these 8 tasks).',
  ],
  [{ best: null }, 'A is first. How sure that is cannot be said from this file.'],
  [{ best: null, elsewhere: true }, 'A is first. This page does not hold how sure that is.'],
  [{ best: undefined }, 'A is first.'],
  [{ modelled: ['A'] }, 'A is first (95% confidence, on these 8 tasks).'],
  [
    { modelled: ['C', 'D'], missing: 0.25 },
    'A leads on what was run (95% confidence, on these 8 tasks).' +
      ' 25% of the scores are missing, and a model of them puts C and D first.',
  ],
  [
    { best: undefined, modelled: ['B'], coverage: [0.004, 0.9, 1, 1], missing: 0.995 },
    'A leads on what was run. 99% of the scores are missing, A has <1% of its own, and a model of them puts B first.',
  ],
  [
    { best: [0, 1, 2], coverage: [1, 0.2, 0.3, 1], missing: 0.4 },
    'A leads on what was run, and two others may be as good (95% confidence, on these 8 tasks).' +
      ' 40% of the scores are missing, and B and C have much fewer than others.',
  ],
  [{ best: undefined, before: { name: 'C', by: 'With equal weights' } }, 'A is first. With equal weights it was C.'],
])('%o', (answer, sentence) => {
  expect(said(answer)).toBe(sentence);
});

test('names are set apart, whatever they hold', () => {
  const systems = ['<b>x</b>', 'B'];
  expect(answerInWords({ systems, ranked: 3, first: [0], best: [0, 1], confidence: 0.9, scope: '' })[0]).toEqual({
    text: '<b>x</b>',
    strong: true,
  });
});

test('numbers to ten are words', () => {
  expect([inWords(10), inWords(11), inWords(1555), percent(0.95), percent(0.999)]).toEqual([
    'ten',
    '11',
    '1,555',
    '95%',
    '99.9%',
  ]);
});
