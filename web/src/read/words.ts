/** The names and signs that files are read by, those of `podium.source`: they come when a file is dropped. */

import type sent from '../../public/words.json';

export type Words = typeof sent;

/** A pattern as Python writes it. */
function pattern(text: string, flags = ''): RegExp {
  const plain = text
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replace(/\\x\{(\w+)\}/g, '\\u{$1}');
  return new RegExp(plain, `u${flags}${text.startsWith('(?i)') ? 'i' : ''}`);
}

/** Names may be anything, as “constructor” or “__proto__”, which an object seems to have. */
const mapped = <Value>(table: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(table));

function rulesOf(words: Words) {
  const each = <Name extends keyof Words, Made>(made: (own: Words[Name]) => Made, ...names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, made(words[name])])) as Record<Name, Made>;
  return {
    ...words,
    ...each(mapped<string>, 'names', 'heads', 'counts', 'units'),
    ...each(mapped<boolean | null>, 'saying', 'directions', 'truth'),
    ...each(
      (some): ReadonlySet<string> => new Set(some),
      'behind',
      'scores',
      'sure',
      'results',
      'lower',
      'abbreviated',
    ),
    ...each((some): ReadonlySet<string> => new Set(some), 'behindLower', 'turned', 'costs', 'notSystems'),
    ...each((text) => pattern(text), 'down', 'up', 'speed', 'bound', 'written', 'thousands', 'certain', 'decimals'),
    ...each((text) => pattern(text), 'noScore', 'noSign'),
    aside: pattern(words.aside, 'g'),
    simpler: words.simpler.map(([from, to]) => [pattern(from, 'g'), to.replace('\\1', '$1')] as const),
    beginnings: words.beginnings.map(([start, said]) => [pattern(start.replace(/^(\(\?i\))?/, '$1^')), said] as const),
  };
}

export let rules: ReturnType<typeof rulesOf>;

export function learn(words: Words): void {
  rules = rulesOf(words);
}
