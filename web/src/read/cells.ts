/** A file as cells with the names of their columns: CSV and TSV, or JSON Lines, as `podium.source` reads them. */

import { dsvFormat } from 'd3-dsv';
import { inBytes } from '../text/number';
import { visible } from './name';

export interface Cells {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Why a file is not read here. */
export class Unread extends Error {}

/** Bytes of a file that a page reads at most. */
const MOST = 32e6;

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Lines that are looked at for what stands between cells. */
const LINES = 50;

/** Read a file. */
export async function cellsOf(file: File): Promise<Cells> {
  if (file.size > MOST) throw new Unread(`it has ${inBytes(file.size)}, and a page reads ${inBytes(MOST)} at most`);
  const text = decoded(await file.arrayBuffer());
  const found = /^\s*[{[]/.test(text) ? fromLines(text) : fromDelimited(text, file.name.endsWith('.tsv'));
  if (found.rows.length === 0) throw new Unread('it has no rows below the names of its columns');
  const names = found.names.map(visible);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Unread(`two columns are called “${twice}”`);
  return { ...found, names };
}

function decoded(bytes: ArrayBuffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // said below
  }
  throw new Unread('it is neither CSV nor JSON Lines in UTF-8');
}

function fromLines(text: string): Cells {
  const names = new Map<string, number>();
  const records = text.split('\n').flatMap((line, at): Map<number, string>[] => {
    if (line.trim() === '') return [];
    const record = parsed(line);
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      throw new Unread(`line ${at + 1} is no JSON object, and every line must be one`);
    return [
      new Map(
        Object.entries(record).map(([name, value]) => {
          const place = names.get(name) ?? names.size;
          names.set(name, place);
          return [place, value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)];
        }),
      ),
    ];
  });
  const all = [...names.keys()];
  return { names: all, rows: records.map((record) => all.map((_, place) => record.get(place) ?? '')) };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function fromDelimited(text: string, tabs: boolean): Cells {
  const all = dsvFormat(tabs ? '\t' : delimiterOf(text)).parseRows(text);
  const filled = all.filter((row) => row.length > 1 || row[0].trim() !== '');
  const width = Math.max(0, ...filled.slice(0, LINES).map((row) => row.length));
  const isTitle = (row: readonly string[]): boolean => width > 1 && row.filter((cell) => cell.trim() !== '').length < 2;
  const first = filled.findIndex((row) => !isTitle(row));
  if (first < 0) throw new Unread('it has no columns');
  const names = filled[first].map((name) => name.trim());
  const rows = filled.slice(first + 1);
  const odd = rows.findIndex((row) => row.length !== names.length);
  if (odd >= 0)
    throw new Unread(`row ${odd + 1} has ${rows[odd].length} cells, but there are ${names.length} names of columns`);
  return { names, rows };
}

/** What stands between cells: what the first lines have most often, or what most lines have as often. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 2 ** 16)
    .split(/\r?\n|\r/)
    .filter((line) => line.trim() !== '');
  const said = /^"?sep=([,;\t|])"?$/i.exec(lines.at(0)?.trim() ?? '');
  if (said !== null) return said[1];
  const plain = lines.slice(0, LINES).map((line) => line.replace(/"[^"]*"/g, ''));
  const count = (line: string, one: string): number => line.split(one).length - 1;
  if (plain.length === 0) return ',';
  const usual = [',', ';', '\t'].reduce((best, one) => (count(plain[0], one) > count(plain[0], best) ? one : best));
  if (plain.slice(0, 2).every((line) => line.includes(usual))) return usual;
  const same = (one: string): number => {
    const times = plain.map((line) => count(line, one)).filter((number) => number > 0);
    return Math.max(0, ...times.map((number) => times.filter((other) => other === number).length));
  };
  return DELIMITERS.reduce<string>((best, one) => (same(one) > same(best) ? one : best), ',');
}
