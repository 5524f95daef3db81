/** What names of columns say, by the rules of `podium.source`: roles, what is no score, and where lower is better. */

import { rules } from './words';

/** What a column holds: whole numbers, other numbers, words, or nothing. */
export type Kind = 'integer' | 'number' | 'text' | 'empty';

const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
const INVISIBLE = /\u00ad|\u200b|\u2060|\ufeff/g;

/** A name as it looks. */
export function visible(name: string): string {
  return name.normalize('NFC').replace(INVISIBLE, '').replaceAll('\u00a0', ' ').trim();
}

/** Without capitals, dots, blanks and hyphens. */
export function folded(name: string): string {
  return name.trim().toLowerCase().replaceAll('.', '').replaceAll(/[ -]/g, '_');
}

/** In small letters, without symbols and without what stands in brackets. */
export function bare(name: string): string {
  const spaced = name.replace(/\([^)]*\)|\[[^\]]*\]/g, ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return (spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join('_');
}

/** The column with the first usual name that occurs, among those that are not taken. */
export function named(usual: readonly string[], names: readonly string[], taken: readonly string[] = []): string {
  const known = new Map([...names].reverse().map((name) => [taken.includes(name) ? '' : folded(name), name]));
  return known.get(usual.find((word) => known.has(word)) ?? '\n') ?? '';
}

/** What a column holds in place of scores, as far as its name says it; empty where it does not. */
export function described(column: string, kind: Kind): string {
  if (saysHigher(column) !== null) return '';
  const name = bare(column) || column.trim();
  const ofEach = name.replace(/^(avg|average|mean)_/, '');
  const parts = ofEach.split(/_(?:per|of|to|for|in|at|on)_/)[0].split('_');
  const last =
    [parts[0], ...parts.slice(1).filter((word) => rules.heads.has(word) || !rules.behind.has(word))].at(-1) ?? '';
  const sure = rules.bound.test(name) || (rules.sure.has(parts[0]) && parts.length > 1) ? 'how sure a score is' : '';
  let said = rules.names.get(name) ?? rules.names.get(ofEach) ?? sure;
  if (said === '' && !parts.some((word) => rules.scores.has(word)))
    said =
      [...column.matchAll(/[([]([^)\]]*)[)\]]/g)].map(([, unit]) => unitOf(unit.trim().toLowerCase())).find(Boolean) ??
      '';
  said ||= rules.heads.get(last) ?? '';
  if (rules.speed.test(column) && !rules.costs.has(said)) return 'a speed';
  said ||= rules.beginnings.find(([start]) => start.test(column))?.[1] ?? '';
  if (said !== '' || kind !== 'integer' || parts.join() === 'errors') return said;
  const counted = (rules.numbersOf.includes(parts[0]) && parts.length > 1) || column.trimStart().startsWith('#');
  if (counted && !parts.some((word) => rules.results.has(word))) return 'a count';
  return rules.counts.get(parts.at(-1) ?? '') ?? '';
}

function unitOf(unit: string): string {
  return rules.units.get(unit) ?? (/^[$€£]/.test(unit) ? 'a price' : '');
}

/** Whether a column of text without a usual name may hold the systems. */
export function mayNameSystems(column: string): boolean {
  return column === 'index' || (described(column, 'text') === '' && !rules.notSystems.has(bare(column)));
}

/** Whether a name is that of an average of tasks: surely, or perhaps. */
export function isAverage(name: string): 'surely' | 'perhaps' | null {
  const word = bare(name);
  return rules.averages.includes(word) ? 'surely' : rules.doubtful.includes(word) ? 'perhaps' : null;
}

/** Whether higher is better, where an arrow or words say so. */
function saysHigher(name: string): boolean | null {
  const [down, up] = [rules.down.test(name), rules.up.test(name)];
  return down === up ? null : up;
}

/** Whether it is a time, a price or the like, the less the better. */
export function isCost(name: string): boolean {
  return rules.costs.has(described(name, 'number')) && !rules.turned.has(bare(name).split('_')[0]);
}

/** Whether higher is better, by a word in a column that says so; null if it says nothing. */
export function higherBy(column: string, word: string): boolean | null {
  const [small, sense] = [word.trim().toLowerCase().replaceAll(' ', '_'), rules.saying.get(folded(column)) ?? null];
  const truth = rules.truth.get(small);
  return sense !== null && truth !== undefined ? sense === truth : (rules.directions.get(small) ?? null);
}

/** The column that says of each row what is better; empty if there is none. */
export function directionIn(names: readonly string[]): string {
  return named([...rules.saying.keys()], names);
}

/** Whether lower is better by the name of a task. */
export function soundsLower(whole: string): boolean {
  const said = saysHigher(whole);
  if (said !== null) return !said;
  const name = whole.replace(rules.aside, '').replace(/^[ .%]+|[ .%]+$/g, '');
  if (/^(-|−|1 ?-|1−|1 −)/.test(name)) return false;
  const some = (name.split(/[/:]/).at(-1)?.match(WORD) ?? []).map((word) => word.toLowerCase());
  if (some.slice(0, -1).some((word) => rules.turned.has(word))) return false;
  const parts = name.split(/[/:.\s_]/).filter(Boolean);
  for (const ends of [some, parts])
    while (ends.length > 1 && rules.behindLower.has(ends.at(-1)?.toLowerCase() ?? '')) ends.pop();
  const first = /^(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+)/.exec(name)?.[0].toLowerCase() ?? '';
  const last = some.at(-1) ?? '';
  return (
    rules.abbreviated.has(first) ||
    rules.lower.has(parts.at(-1)?.toLowerCase() ?? '') ||
    some.slice(-2).join() === 'brier,score' ||
    (last.length > 3 && rules.lower.has(last))
  );
}
