import { expect, test } from 'vitest';
import type { Measure, Recipe } from '../kernel/customize';
import { CASES } from '../kernel/split';
import { fromHash, PLAIN as OPENING, toHash } from './address';
import { type ByDifficulty, difficultyInWords } from './difficulty';
import { customizeCommand, PLAIN, recipeFrom, recipeText } from './recipe';

const BIAS: Measure = { name: 'bias', hard: 'low', own: false, levels: ['two', 'one'], splits: null, notes: [] };

const MEASURES: Measure[] = [
  BIAS,
  { ...BIAS, name: 'how; hard = it is' },
  { ...BIAS, name: 'irt', levels: ['two'], splits: { column: 'kind', names: ['tale', 'news', 'law'] } },
];

test.each([
  PLAIN,
  { ...PLAIN, measure: 1, weighting: CASES[7].weighting },
  {
    ...PLAIN,
    splitting: {
      by: 'thresholds' as const,
      count: 3,
      marks: [-0.5, 0.25],
      ties: 'share' as const,
      level: 'one' as const,
    },
    weighting: { ...CASES[3].weighting, weights: [1, 0, 2.5] },
  },
  { ...PLAIN, measure: 2, splitting: { ...PLAIN.splitting, by: 'manual' as const, count: 3 } },
])('%o comes back', (recipe) => {
  const text = recipeText(recipe, MEASURES);
  expect(recipeFrom(text, MEASURES)).toEqual(recipe);
  const address = { ...OPENING, view: 'difficulty', recipe: text };
  expect(fromHash(toHash(address))).toEqual(address);
});

test.each([
  '',
  'bias',
  'other;equal=7;linear;1;-1',
  'bias;equal=99;linear;1;-1',
  'bias;thresholds=2,1;linear;1;-1',
  'bias;equal=2;1;1;-1',
  'bias;equal=2;1,-1;1;-1',
  'bias;equal=2;linear;x;-1',
  'bias;manual=3;linear;1;-1',
  'irt;equal=2;linear;1;-1;one',
])('%s makes no sense', (text) => {
  expect(recipeFrom(text, MEASURES)).toBeNull();
});

test('a command says what differs from podium customize by itself', () => {
  const own = { ...PLAIN.splitting, by: 'thresholds' as const, count: 2, marks: [3] };
  const ask = (recipe: Recipe): string => customizeCommand('podium customize a', recipe, 'a kind');
  expect(ask(PLAIN)).toBe('podium customize a');
  expect(ask({ ...PLAIN, weighting: CASES[8].weighting })).toBe('podium customize a --reward=B --penalty=-B');
  expect(ask({ ...PLAIN, splitting: own })).toBe('podium customize a --splits=3.0');
  const named = { ...own, by: 'manual' as const, marks: [], level: 'one' as const };
  expect(ask({ ...PLAIN, splitting: named })).toBe("podium customize a '--splits=a kind' --level=one");
});

test.each<[Partial<ByDifficulty>, string]>([
  [{}, 'A is first by accuracy and by the weighted score (95% confidence). Nobody moves.'],
  [
    { best: [0, 2], movers: 1 },
    'A is first by accuracy and by the weighted score, and C may be as good (95% confidence). One of three moves.',
  ],
  [
    { first: [1], best: [0, 1, 2], movers: 2 },
    'By accuracy A is first; weighted, B is first, and two others may be as good (95% confidence). Two of three move.',
  ],
  [
    { accurate: [0, 1], first: [0, 1], best: null },
    'A and B are first by accuracy and by the weighted score. Nobody moves.',
  ],
])('%o', (answer, sentence) => {
  const parts = difficultyInWords({
    systems: ['A', 'B', 'C'],
    accurate: [0],
    first: [0],
    best: [0],
    confidence: 0.95,
    movers: 0,
    ...answer,
  });
  expect(parts.map(({ text }) => text).join('')).toBe(sentence);
});
