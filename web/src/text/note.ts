/** Sentences with the systems and tasks that they name. */

import { capital, type Part } from './sentence';

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
