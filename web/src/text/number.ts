/** Numbers as people read them. */

import { isShare, type Way } from '../kernel/way';

/** Write so many digits behind the point; halves go away from zero, also if a sum lies a hair beside one, as in Python. */
export function fixed(number: number, digits: number): string {
  const more = Math.abs(number).toFixed(digits + NEAR);
  if (!(Math.abs(number) < 1e12)) return number.toFixed(digits);
  const [less, next] = [Number(more.slice(0, -NEAR)), Number(more.at(-NEAR))];
  const text = (next < 5 ? less : less + 10 ** -digits).toFixed(digits);
  return number < 0 ? `-${text}` : text;
}

/** Digits behind the last one that is written, by which a half is known. */
const NEAR = 9;

/** A share or a correlation as in a column: .820, −.056, and 1.000. */
export function shareText(share: number): string {
  return Number.isNaN(share) ? '–' : withMinus(fixed(share, 3)).replace(/^(−?)0\./, '$1.');
}

/** A share of all weightings: 34%, <1%, >99%; a dash for none at all, and nothing while it is unknown. */
export function firstText(share: number | undefined, alone: boolean): string {
  if (share === undefined) return '';
  if (Number.isNaN(share)) return '–';
  if (share < 0.01) return '<1%';
  return share > 0.99 && !alone ? '>99%' : `${Math.round(100 * share)}%`;
}

/** A weight without digits that say nothing: 1, 0.5, 2.25. */
export function weightText(weight: number): string {
  return String(Number(weight.toPrecision(4)));
}

/** Read a number as people type it, with a true minus sign or a decimal comma; NaN if it is none. */
export function numberFrom(text: string): number {
  const plain = text.trim().replace('−', '-').replace(',', '.');
  const number = plain === '' ? NaN : Number(plain);
  return Number.isFinite(number) ? number : NaN;
}

/** A score of a way to rank: a share, or a mean in the units of the tasks. */
export function scoreTextOf(way: Way, scores: Iterable<number>): (score: number) => string {
  return isShare(way) ? shareText : columnText(scores);
}

/** How numbers of a column are written: all with as many decimals as give a usual one of them four digits. */
export function columnText(numbers: Iterable<number>): (number: number) => string {
  const sizes = [...numbers].map(Math.abs).filter((size) => size > 0 && size < Infinity);
  const usual = sizes.sort((one, other) => one - other)[sizes.length >> 1] ?? 1;
  if (usual < 1e-6 || usual >= 1e12) return scoreText;
  const places = Math.max(3 - Math.floor(Math.log10(usual)), 0);
  return (number) => (Number.isFinite(number) ? withMinus(fixed(number, places)) : '–');
}

/** Widths of signs of cells, about; all others are as wide as a digit. */
const [DIGIT, POINT] = [6, 3];

/** How numbers of a narrow column are written: with as many decimals as tell them apart, as far as there is room. */
export function cellText(numbers: readonly number[], room: number): (number: number) => string {
  const known = numbers.filter(Number.isFinite);
  const range = Math.max(...known) - Math.min(...known) || Math.abs(known[0]) || 1;
  const wanted = known.every(Number.isInteger) ? 0 : Math.min(Math.max(Math.ceil(2 - Math.log10(range)), 0), 9);
  const plain = Array.from({ length: wanted + 1 }, (_, fewer) => (number: number): string => {
    return withMinus(fixed(number, wanted - fewer)).replace(/^(−?)0\./, '$1.');
  });
  const short = ['k', 'M', 'G', 'T'].map((unit, power) => (number: number): string => {
    return `${withMinus((number / 1000 ** (power + 1)).toFixed(0))}${unit}`;
  });
  const width = (text: string): number => DIGIT * text.length - (text.includes('.') ? DIGIT - POINT : 0);
  const fits = (text: (number: number) => string): boolean => known.every((number) => width(text(number)) <= room);
  return [...plain, ...short].find(fits) ?? scoreText;
}

/** A number by itself in its own units, with four digits. */
export function scoreText(score: number): string {
  if (Number.isNaN(score)) return '–';
  return withMinus(Number(score.toPrecision(4)).toString());
}

/** A true minus sign, and none where rounding left only zeros. */
export function withMinus(number: string): string {
  return Number(number) === 0 ? number.replace('-', '') : number.replace('-', '−');
}

/** Write a size as people say it. */
export function inBytes(size: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(size, 1)) / 3), units.length - 1);
  return `${String(Number((size / 1000 ** power).toPrecision(2)))} ${units[power]}`;
}

/** A number in percent with one digit behind the point. */
export function percentText(number: number): string {
  return Number.isFinite(number) ? withMinus(fixed(number, 1)) : '–';
}

/** A whole number with separators, as `toLocaleString` writes it, but for which no browser has to load its languages. */
export function countText(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}
