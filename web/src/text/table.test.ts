import { expect, test } from 'vitest';
import { CASES } from '../kernel/split';
import { boardAsRead, boardTable, type TableRow } from '../state/table';
import { shareText } from './number';
import { svgOf } from './picture';
import { asGiven, askInPython, compareInPython, customizeInPython, rankInPython, stressInPython } from './python';
import { PLAIN } from './recipe';
import { csvOf, latexOf } from './table';

const SURE: TableRow = {
  system: 'a,"b" & 50% <x>',
  rank: 1,
  score: 0.1 + 0.2,
  firstUnder: NaN,
  mayBeBest: true,
  intervals: { scoreLow: 0.25, scoreHigh: NaN, rankLow: 1, rankHigh: 2, jointRankLow: 1, jointRankHigh: 3, tier: 1 },
};
const BARE: TableRow = { system: 'c', rank: 2, score: 0.5, firstUnder: 0.5, mayBeBest: false, intervals: null };

test('all digits are in a CSV file', () => {
  expect(csvOf(boardTable([SURE]))).toBe(
    'system,rank,score,score_low,score_high,rank_low,rank_high,joint_rank_low,joint_rank_high,tier,first_under\r\n' +
      '"a,""b"" & 50% <x>",1,0.30000000000000004,0.25,,1,2,1,3,1,\r\n',
  );
  expect(csvOf(boardTable([BARE]))).toBe('system,rank,score,first_under\r\nc,2,0.5,0.5\r\n');
  expect(csvOf({ head: ['system'], rows: [['=1+1']] })).toBe('system\r\n"=1+1"\r\n');
});

test('what LaTeX and SVG take for markup is escaped', () => {
  expect(latexOf(boardAsRead([SURE], shareText), 'Ranked.')).toContain(
    '1 & 1–2 & 1 & a,"b" \\& 50\\% \\textless{}x\\textgreater{} & .300 [.250, –] \\\\',
  );
  expect(latexOf(boardAsRead([BARE], shareText), 'Ranked.')).toContain('2 & c & .500 \\\\');
  const about = { ranked: 2, sentence: '<b>', caption: '', scoreName: 'score', scoreText: shareText, level: '95%' };
  expect(svgOf({ rows: [SURE, BARE], ...about })).toContain('>a,"b" &amp; 50% &lt;x><');
});

test('numbers of a LaTeX table have four digits, and a minus', () => {
  expect(
    latexOf(
      {
        head: ['a_b', 'c'],
        rows: [
          ['x', -0.123456],
          ['y', NaN],
        ],
      },
      'So\n it is',
    ),
  ).toContain('% So it is\n\\begin{tabular}{lr}\n\\hline\na\\_b & c \\\\\n\\hline\nx & $-$0.1235 \\\\\ny & – \\\\');
});

const SOURCES = { scores: 'scores = podium.read("x")', difficulty: 'difficulty = podium.failures(scores)' };

const SAMPLED = { confidence: 0.9, replicates: 200, seed: 3 };

const START = 'import podium\n\nscores = podium.read("x")\n';

test('weights that are not 1 are said in Python', () => {
  expect(rankInPython(SOURCES, { tasks: ['a"b', 'c'], weights: [0.5, 1], way: 'one', out: [] }, SAMPLED)).toBe(
    `${START}scores = scores.with_task_weights({"a\\"b": 0.5})\n` +
      'ranking = podium.rank(scores, level="one", confidence_level=0.9, n_resamples=200, rng=3)\nprint(ranking)\n',
  );
});

test('every question has its Python', () => {
  expect(compareInPython(SOURCES, { tasks: ['t', 'u'], weights: [0, 1] }, ['a', 'b"'], 'md', 0.9)).toBe(
    `${START}scores = scores.with_task_weights({"t": 0})\n` +
      'comparison = podium.compare(scores, control="a", treatment="b\\"", confidence_level=0.9)\nprint(comparison)\n',
  );
  const recipe = { ...PLAIN, weighting: CASES[8].weighting };
  const measured = { name: 'failures', own: false, column: '' };
  expect(customizeInPython(SOURCES, recipe, measured, SAMPLED)).toBe(
    `${START}difficulty = podium.failures(scores)\n` +
      'customized = podium.customize(scores, difficulty, measure="failures", ' +
      'splits=podium.Splitting(7, "equal", level="two"), split_weights=podium.Weighting("linear", "B", "-B"), ' +
      'confidence_level=0.9, n_resamples=200, rng=3)\nprint(customized)\n',
  );
  expect(askInPython(asGiven(SOURCES, { tasks: ['a', 'b'], weights: [3, 1] }), 'agree')).toBe(
    `${START}scores = scores.with_task_weights({"a": 3})\nanswer = podium.agree(scores)\nprint(answer)\n`,
  );
  expect(askInPython(SOURCES, 'agree')).toBe(`${START}answer = podium.agree(scores)\nprint(answer)\n`);
  expect(stressInPython({ ...SOURCES, robustness: 'robustness = podium.stress(scores)' })).toBe(
    `${START}robustness = podium.stress(scores)\nprint(robustness)\n`,
  );
});

test('where a source is not known there is no Python', () => {
  expect(stressInPython(SOURCES)).toBe('');
  expect(customizeInPython(SOURCES, PLAIN, { name: 'confidence', own: true, column: '' }, SAMPLED)).toBe('');
});
