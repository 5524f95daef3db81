/** How a leaderboard is weighed by difficulty: as a part of an address, and as options of `podium customize`. */

import type { Measure, Recipe } from '../kernel/customize';
import { type Factor, type Rule, RULES, type Splitting, type Weighting } from '../kernel/split';
import { decoded } from './address';
import { quoted } from './command';

const FIRST: Omit<Recipe, 'measure'> = {
  splitting: { by: 'equal', count: 7, marks: [], ties: 'share', level: 'two' },
  weighting: { weights: 'linear', reward: { number: 1, power: 0 }, penalty: { number: -1, power: 0 } },
};

/** The recipe a page opens with, that of `podium customize` by itself. */
export const PLAIN: Recipe = { measure: 0, ...FIRST };

/** More splits than this are too many to look at here. */
export const MOST_SPLITS = 10;

export function factorText({ number, power }: Factor): string {
  if (power === 0) return String(number);
  return `${number < 0 ? '-' : ''}${power > 0 ? 'B' : '1/B'}`;
}

export function weightsText({ weights }: Weighting): string {
  return typeof weights === 'string' ? weights : weights.join(',');
}

/** A recipe as text, as in "bias;equal=7;linear;1;-1"; at its end "one" where tasks are split together. */
export function recipeText({ measure, splitting, weighting }: Recipe, measures: readonly Measure[]): string {
  const { by, count, marks, level } = splitting;
  const parts = [
    encodeURIComponent(measures[measure].name),
    `${by}=${by === 'thresholds' ? marks.join(',') : count}`,
    weightsText(weighting),
    factorText(weighting.reward),
    factorText(weighting.penalty),
    ...(level === 'one' ? ['one'] : []),
  ];
  return parts.join(';');
}

/** Read a recipe; null where it makes no sense. */
export function recipeFrom(text: string, measures: readonly Measure[]): Recipe | null {
  const [name, split = '', weights = '', reward = '', penalty = '', level = ''] = text.split(';');
  const measure = measures.findIndex((one) => one.name === decoded(name));
  if (measure < 0) return null;
  const splitting = splittingFrom(split, level === 'one' ? 'one' : 'two', measures[measure]);
  const [d, e] = [factorFrom(reward), factorFrom(penalty)];
  if (splitting === null || d === null || e === null) return null;
  const w = weightsFrom(weights, splitting.count);
  return w === null ? null : { measure, splitting, weighting: { weights: w, reward: d, penalty: e } };
}

function numbersFrom(text: string): number[] | null {
  const found = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  return found.every(Number.isFinite) ? found : null;
}

function splittingFrom(text: string, level: Splitting['level'], { levels, splits }: Measure): Splitting | null {
  const [by, value = ''] = text.split('=');
  const numbers = numbersFrom(value);
  if (numbers === null || !levels.includes(level)) return null;
  if (by === 'manual')
    return splits === null ? null : { by, count: splits.names.length, marks: [], ties: 'share', level };
  if (by === 'thresholds') {
    const increasing = numbers.every((mark, at) => at === 0 || mark > numbers[at - 1]);
    if (!increasing || numbers.length >= MOST_SPLITS) return null;
    return { by, count: numbers.length + 1, marks: numbers, ties: 'share', level };
  }
  const [count] = numbers;
  if (by !== 'equal' && by !== 'width' && by !== 'random') return null;
  if (!Number.isInteger(count) || count < 2 || count > MOST_SPLITS) return null;
  return { by, count, marks: [], ties: 'share', level };
}

function factorFrom(text: string): Factor | null {
  const found = /^(-?)(B|1\/B)$/.exec(text);
  if (found !== null) return { number: found[1] === '-' ? -1 : 1, power: found[2] === 'B' ? 1 : -1 };
  const number = text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(number) ? { number, power: 0 } : null;
}

function weightsFrom(text: string, splits: number): Weighting['weights'] | null {
  if (text === 'B' || text === '1/B' || RULES.includes(text as Rule)) return text as Rule;
  const numbers = numbersFrom(text);
  return numbers?.length === splits && numbers.every((weight) => weight >= 0) ? numbers : null;
}

/** The command that prints the table of a recipe; what podium does by itself need not be said. */
export function customizeCommand(command: string, { splitting, weighting }: Recipe, column: string): string {
  const { by, count, marks, level } = splitting;
  const splits = by === 'manual' ? column : by === 'thresholds' ? marksText(marks) : String(count);
  const said: [string, string, string?][] = [
    ['--splits', splits, '7'],
    ['--by', by === 'thresholds' || by === 'manual' ? 'equal' : by, 'equal'],
    ['--level', level, 'two'],
    ['--split-weights', weightsText(weighting), 'linear'],
    ['--reward', factorText(weighting.reward), '1'],
    ['--penalty', factorText(weighting.penalty), '-1'],
  ];
  const options = said.filter(([, value, plain]) => value !== plain);
  return [command, ...options.map(([name, value]) => quoted(`${name}=${value}`))].join(' ');
}

/** Thresholds; a single one is written so that it is not taken for a number of splits. */
function marksText(marks: readonly number[]): string {
  const [only] = marks;
  return marks.length === 1 && Number.isInteger(only) ? only.toFixed(1) : marks.join(',');
}
