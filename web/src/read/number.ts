/** Numbers as tables write them, with signs and marks, by the rules of `podium.source.number`. */

import { Unread } from './cells';
import { rules } from './words';

/** What a comma stands before; empty as long as no number has one. */
type Comma = 'decimals' | 'thousands' | '';

/** A number as it stands in a cell, and what stands behind it; null where there is none. */
type Written = { readonly number: string; readonly behind: string } | null;

const PLAIN = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const GROUPED = /^[-+]?[1-9]\d{0,2}([ ']\d{3})+([.,]\d+)?$/;

export function isMissing(cell: string): boolean {
  return rules.missing.includes(cell.trim().toLowerCase());
}

export function isNumber(cell: string): boolean {
  return PLAIN.test(cell.trim()) || /^(true|false)$/i.test(cell.trim());
}

/** Whether some cell of a table has a comma that cannot divide thousands. */
export function commaOf(rows: readonly (readonly string[])[]): Comma {
  const unlike = (cell: string): boolean =>
    /^\W*\d*,(\d\d?|\d{4,}|)\D*$/.test(cell) && isDecimal(writtenAs(cell)?.number ?? '');
  return rows.some((row) => row.some(unlike)) ? 'decimals' : '';
}

/** The numbers of a column, NaN where a score is missing. */
export function numbersIn(column: string, cells: readonly string[], comma: Comma): Float64Array {
  const texts = cells.map((cell) => {
    const text = cell.trim();
    return isMissing(text) || text === column ? '' : text.replace(/^true$/i, '1').replace(/^false$/i, '0');
  });
  const plain = texts.every((text) => text === '' || PLAIN.test(text));
  const numbers = plain ? texts : withMarks(column, texts, comma);
  const found = Float64Array.from(numbers, (text) => (text === '' ? NaN : Number(text)));
  const row = found.findIndex((number, at) => !Number.isFinite(number) && texts[at] !== '' && numbers[at] !== '');
  if (row >= 0) throw new Unread(`column “${column}” holds “${texts[row].slice(0, 60)}”, which is not a finite number`);
  return found;
}

function withMarks(column: string, texts: readonly string[], comma: Comma): readonly string[] {
  const written = texts.map((text) => (text === '' ? null : writtenAs(text)));
  const known = written.some((one) => one !== null);
  const numbers = written.map((one, at) => {
    const text = texts[at];
    if (text === '' || (known && (rules.noSign.test(text) || (one === null && rules.noScore.test(text))))) return null;
    if (one === null) throw new Unread(`column “${column}” holds “${text.slice(0, 60)}”, which is not a number`);
    return one;
  });
  const signs = new Set(numbers.flatMap((one) => (one === null ? [] : [one.behind.includes('%')])));
  if (signs.size > 1) throw new Unread(`some numbers of column “${column}” have a % sign and others have none`);
  const read = numbers.map((one) => one?.number ?? '');
  return read.some((number) => number.includes(',')) ? withoutCommas(column, read, comma) : read;
}

function withoutCommas(column: string, numbers: readonly string[], comma: Comma): readonly string[] {
  const decimals = comma === 'decimals' || numbers.some(isDecimal);
  const isOdd = (number: string): boolean =>
    number !== '' &&
    (decimals
      ? !rules.decimals.test(number) && !/^[-+]?\d+$/.test(number)
      : number.includes(',') && !rules.thousands.test(number));
  const odd = numbers.find(isOdd);
  if (odd !== undefined) throw new Unread(`column “${column}” writes “${odd}” in another way than other numbers`);
  if (
    !decimals &&
    !numbers.some((number) => rules.certain.test(number)) &&
    numbers.every((number) => /,|^$/.test(number))
  )
    throw new Unread(`commas of column “${column}” may divide thousands or stand before decimals`);
  return numbers.map((number) =>
    decimals ? number.replaceAll('.', '').replace(',', '.') : number.replaceAll(',', ''),
  );
}

function writtenAs(cell: string): Written {
  const simple = rules.simpler.reduce((text, [from, to]) => text.replace(from, to), cell).trim();
  const groups = rules.written.exec(simple)?.groups;
  if (groups === undefined) return null;
  const number = GROUPED.test(groups.number) ? groups.number.replace(/[ ']/g, '') : groups.number;
  return { number: number.replaceAll('+', ''), behind: groups.behind };
}

function isDecimal(number: string): boolean {
  return rules.decimals.test(number) && !rules.thousands.test(number);
}
