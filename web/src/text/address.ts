/** What a link to the page holds, after the #: what differs from the page as it opens. */

import { isStrength } from '../kernel/bradley-terry';

export interface Address {
  /** Name of the view that is shown. */
  readonly view: string;
  /** How instances are weighed by difficulty, as the view writes it; empty where it is not shown. */
  readonly recipe: string;
  /** Two systems that are compared, by name; empty where they are not shown. */
  readonly pair: readonly [string, string];
  /** Weights that are not the given ones, by task. */
  readonly weights: readonly (readonly [string, number])[];
  /** Those of groups, and the groups that are open. */
  readonly groups: readonly (readonly [string, number])[];
  readonly open: readonly string[];
  /** The way to rank: a level of Borda, or another method; empty for the usual one. */
  readonly way: string;
  /** Weights and way of the order that ranks are compared with, likewise. */
  readonly pinned: readonly (readonly [string, number])[];
  readonly pinnedGroups: readonly (readonly [string, number])[];
  readonly pinnedWay: string;
  /** Systems that are left out, by name. */
  readonly out: readonly string[];
  /** "rank", "name", a task after a colon, or a group after an asterisk. */
  readonly sort: string;
  readonly query: string;
  /** What shown systems must have, as the board writes it, and the property that colours them. */
  readonly filters: readonly string[];
  readonly colour: string;
  /** The property of whose values only the best system is shown each; empty for none. */
  readonly fold: string;
  /** The least share of scores of the systems that are shown. */
  readonly least: number;
  /** Whether only the harder half of the instances counts. */
  readonly hard: boolean;
  /** Whether missing scores count by a model. */
  readonly model: boolean;
  /** What the numbers of cells are. */
  readonly numbers: 'score' | 'beaten';
  /** Whether the box that says how to read the board is open. */
  readonly explained: boolean;
  /** Digest of the data that are shown; empty if it is not known. */
  readonly data: string;
  /** Weights that the reader has saved under names. */
  readonly presets: readonly (readonly [string, Address['weights']])[];
  /** The system that is picked among several methods; empty for none. */
  readonly picked: string;
  /** Scores of systems that the reader has added, by task. */
  readonly own: Address['presets'];
  /** Tasks that they brought: the number of the family, from 1 on, below 0 where lower is better. */
  readonly ownTasks: Address['weights'];
}

/** What of it is not of one board: which instances count, and what the reader has added. */
export type Visited = Pick<Address, 'hard' | 'own' | 'ownTasks'>;

/** The largest weight that a reader may give: more than anybody means, and sums stay finite. */
const LARGEST = 1e12;

/** Say why a number cannot be a weight; an empty text if it can. */
export function weightRefused(number: number): string {
  if (number < 0) return 'A weight is 0 or more.';
  return number > LARGEST ? `A weight is at most ${LARGEST}.` : '';
}

type Parts = ReadonlyMap<string, string>;

/** How a part of an address is written, and read again. */
interface Code<Value> {
  readonly write: (value: Value) => readonly string[];
  readonly read: (parts: Parts) => Value;
}

/** A part under a key; what it is on a page that opens is not written. */
function under<Value>(
  key: string,
  plain: Value,
  write: (value: Value) => string,
  read: (text: string) => Value,
): Code<Value> {
  return {
    write: (value) => (write(value) === write(plain) ? [] : [`${key}=${write(value)}`]),
    read: (parts) => (parts.has(key) ? read(parts.get(key) ?? '') : plain),
  };
}

const word = (key: string, plain = ''): Code<string> => under(key, plain, String, String);
const text = (key: string, plain = ''): Code<string> => under(key, plain, encodeURIComponent, decoded);
const flag = (key: string, mark: string, plain = false): Code<boolean> =>
  under(
    key,
    plain,
    (on) => (on === plain ? '' : mark),
    (own) => (own === mark) !== plain,
  );
const names = (key: string): Code<readonly string[]> =>
  under<readonly string[]>(key, [], (some) => some.map(encodeURIComponent).join(','), namesIn);
const weighed = (key: string, read = weightsIn): Code<Address['weights']> =>
  under<Address['weights']>(key, [], weightsText, read);
/** Numbers by task, under a name behind a beginning. */
const named = (start: string, read: (text: string) => Address['weights']): Code<Address['presets']> => ({
  write: (all) => all.map(([name, of]) => `${start}${encodeURIComponent(name)}=${weightsText(of)}`),
  read: (parts) =>
    [...parts].flatMap(([key, value]) =>
      key.startsWith(start) ? [[decoded(key.slice(start.length)), read(value)] as const] : [],
    ),
});

/** Keys of the two systems that are compared. */
const PAIR = ['a', 'b'] as const;

/** The parts in their order. */
const CODES: { readonly [Name in keyof Address]: Code<Address[Name]> } = {
  view: word('v', 'leaderboard'),
  recipe: word('df'),
  pair: {
    write: (pair) => pair.flatMap((name, side) => (name === '' ? [] : [`${PAIR[side]}=${encodeURIComponent(name)}`])),
    read: (parts) => [decoded(parts.get(PAIR[0]) ?? ''), decoded(parts.get(PAIR[1]) ?? '')],
  },
  weights: weighed('w'),
  groups: weighed('g'),
  open: names('o'),
  way: {
    // methods that have no levels
    write: (way) => (way === '' ? [] : [`${way === 'mean' || isStrength(way) ? 'm' : 'l'}=${way}`]),
    read: (parts) => parts.get('m') ?? parts.get('l') ?? '',
  },
  pinned: weighed('p'),
  pinnedGroups: weighed('pg'),
  pinnedWay: word('pl'),
  out: names('x'),
  sort: text('s', 'rank'),
  query: text('q'),
  filters: names('f'),
  colour: text('hue'),
  fold: text('one'),
  least: under('r', 0, String, shareIn),
  hard: flag('i', 'hard'),
  model: flag('k', 'model'),
  numbers: under<Address['numbers']>('c', 'score', String, (own) => (own === 'beaten' ? own : 'score')),
  explained: flag('h', '0', true),
  presets: named('ps.', weightsIn),
  ownTasks: weighed('yt', (own) => numbersIn(own).filter(([, number]) => Number.isInteger(number) && number !== 0)),
  own: named('y.', numbersIn),
  picked: text('n'),
  data: word('d'),
};

const NAMES = Object.keys(CODES) as (keyof Address)[];

export const PLAIN = fromHash('');

/** Write an address; an empty text for the page as it opens. */
export function toHash(address: Address): string {
  const parts = NAMES.flatMap((name) => (CODES[name] as Code<unknown>).write(address[name]));
  return parts.length === 0 || (parts.length === 1 && address.data !== '') ? '' : `#${parts.join('&')}`;
}

/** Letters of an address beyond which browsers and mail cut it off. */
const LONGEST = 30_000;

/** The same as a link has it: without systems that were added, if these make it too long. */
export function toLink(address: Address): string {
  const whole = toHash(address);
  return whole.length > LONGEST ? toHash({ ...address, own: [], ownTasks: [] }) : whole;
}

/** Read an address; what makes no sense is left out. */
export function fromHash(hash: string): Address {
  const parts = new Map(
    hash
      .replace(/^#/, '')
      .split('&')
      .map((part): [string, string] => {
        const [key, ...value] = part.split('=');
        return [key, value.join('=')];
      }),
  );
  return Object.fromEntries(NAMES.map((name) => [name, CODES[name].read(parts)])) as unknown as Address;
}

/** A number from 0 to 1; 0 if it is none. */
function shareIn(text: string): number {
  const share = Number(text);
  return share > 0 && share <= 1 ? share : 0;
}

function weightsText(weights: Address['weights']): string {
  return weights.map(([name, weight]) => `${encodeURIComponent(name)}:${String(weight)}`).join(',');
}

function namesIn(text: string): string[] {
  return text.split(',').filter(Boolean).map(decoded);
}

function weightsIn(text: string): [string, number][] {
  return numbersIn(text).filter(([, number]) => weightRefused(number) === '');
}

function numbersIn(text: string): [string, number][] {
  return text.split(',').flatMap((one): [string, number][] => {
    const [name, number] = one.split(':');
    return number !== '' && Number.isFinite(Number(number)) ? [[decoded(name), Number(number)]] : [];
  });
}

/** A part of an address as it was meant. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that somebody typed
  }
}
