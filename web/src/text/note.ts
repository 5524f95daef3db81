/** Sentences with the systems and tasks that they name: notes, verdicts, and what a table holds and lacks. */

import type { Holes } from '../kernel/hole';
import { capital, inWords, type Part } from './sentence';
import type { Shown } from '../transport/server';

export interface Piece {
  readonly text: string;
  /** What it is the name of; neither of the rest. */
  readonly system?: number;
  readonly task?: number;
}

const LETTER = /[\p{L}\p{N}_]/u;

/** Words and numbers, which a sentence may hold without meaning a name. */
const WORD = /^(\p{Ll}+|\p{N}+)$/u;

/** Cut a note into names and the rest. A plain word is a name only in quotes or in a list behind a colon. */
export function linked(note: string, systems: readonly string[], tasks: readonly string[]): Piece[] {
  const names: Piece[] = [
    ...tasks.map((text, task) => ({ text, task })),
    ...systems.map((text, system) => ({ text, system })),
  ]
    .filter(({ text }) => text !== '' && note.includes(text))
    .sort((one, other) => other.text.length - one.text.length);
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = 0; at < note.length;) {
    const name = names.find(({ text }) => note.startsWith(text, at) && standsAlone(note, at, text));
    if (name === undefined) {
      at += 1;
      continue;
    }
    if (at > from) pieces.push({ text: note.slice(from, at) });
    pieces.push(name);
    at += name.text.length;
    from = at;
  }
  return from < note.length ? [...pieces, { text: note.slice(from) }] : pieces;
}

function standsAlone(note: string, at: number, text: string): boolean {
  const [before, behind] = [note.charAt(at - 1), note.charAt(at + text.length)];
  if (LETTER.test(before) || LETTER.test(behind)) return false;
  const quoted = /['"]/.test(before) && before === behind;
  return quoted || !WORD.test(text) || /: (.*, )?$/.test(note.slice(0, at));
}

/** A sentence of a verdict; the names of systems are set apart, the one that it begins with, too. */
export function verdictInWords(sentence: string, systems: readonly string[]): Part[] {
  const begins = systems.filter((name) => sentence.startsWith(name) && !LETTER.test(sentence.charAt(name.length)));
  const first = begins.reduce((one, other) => (other.length > one.length ? other : one), '');
  const rest = linked(first === '' ? capital(sentence) : sentence.slice(first.length), systems, []);
  const parts = rest.map(({ text, system }) => ({ text, strong: system !== undefined }));
  return [...(first === '' ? [] : [{ text: first, strong: true }]), ...parts, { text: '.' }];
}

export function holesInWords(holes: Holes, systems: readonly string[], tasks: readonly string[]): Part[] {
  if (holes.missing === 0) {
    const where = tasks.length === 1 ? [{ text: tasks[0], strong: true }] : [{ text: all(tasks.length, 'task') }];
    return [{ text: `${capital(all(systems.length, 'system'))} have scores on ` }, ...where, { text: '.' }];
  }
  const are = holes.missing === 1 ? 'is' : 'are';
  const counted = `${capital(inWords(holes.missing))} of ${inWords(holes.cells)} scores ${are} missing`;
  return [{ text: counted }, ...where(holes, systems, tasks)];
}

/** Of whom, or on what, most of them are missing. */
function where({ missing, ofSystem, onTask }: Holes, systems: readonly string[], tasks: readonly string[]): Part[] {
  const [system, task] = [largest(ofSystem), largest(onTask)];
  const said = (share: number, preposition: string, name: string): Part[] | null => {
    if (2 * share <= missing) return null;
    const how = missing === 1 ? ': ' : share === missing ? ', all of them ' : ', most of them ';
    return [{ text: `${how}${preposition} ` }, { text: name, strong: true }, { text: '.' }];
  };
  const [some, places] = [lacking(ofSystem, 'system'), lacking(onTask, 'task')];
  const several = `: ${some} lack some${tasks.length === 1 ? '' : `, on ${places}`}.`;
  const of = said(ofSystem[system], 'of', systems[system]);
  const on = tasks.length === 1 ? null : said(onTask[task], 'on', tasks[task]);
  return of ?? on ?? [{ text: several }];
}

function largest(numbers: Float64Array): number {
  return numbers.reduce((best, number, at) => (number > numbers[best] ? at : best), 0);
}

function lacking(missing: Float64Array, noun: string): string {
  const some = missing.reduce((sum, one) => sum + (one > 0 ? 1 : 0), 0);
  return some === missing.length ? all(some, noun) : `${inWords(some)} of ${inWords(missing.length)} ${noun}s`;
}

function all(number: number, noun: string): string {
  return number === 2 ? `both ${noun}s` : `all ${inWords(number)} ${noun}s`;
}

/** The sentences of an answer, the first one as its title; names keep their letters. */
export function saidBy({ title, about, verdict, tables }: Shown): { title: string; lines: string[] } {
  const names = tables.flatMap(({ head, rows }) =>
    rows.flatMap((row) => row.filter((cell, place) => head[place].label && cell !== '')),
  );
  const written = (line: string): string => (names.some((name) => line.startsWith(name)) ? line : capital(line));
  const [answer, ...more] = verdict.length === 0 ? [title] : verdict;
  const [first, ...lines] = [verdict.length > 0 && about !== '' ? `${about}: ${answer}` : answer, ...more].map(written);
  return { title: first, lines };
}

/** The best and the worst rank of a system, and by which method. */
export function rangeInWords(system: string, ranks: readonly number[], methods: readonly string[]): string {
  const [best, worst] = [Math.min(...ranks), Math.max(...ranks)];
  if (best === worst) return `${system}: rank ${best} by all methods.`;
  const by = (rank: number): string => methods[ranks.indexOf(rank)];
  return `${system}: at best rank ${best}, by ${by(best)}; at worst ${worst}, by ${by(worst)}.`;
}
