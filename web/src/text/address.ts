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

export const PLAIN: Address = {
  view: 'leaderboard',
  recipe: '',
  pair: ['', ''],
  weights: [],
  groups: [],
  open: [],
  way: '',
  pinned: [],
  pinnedGroups: [],
  pinnedWay: '',
  out: [],
  sort: 'rank',
  query: '',
  filters: [],
  colour: '',
  fold: '',
  least: 0,
  hard: false,
  model: false,
  numbers: 'score',
  explained: true,
  data: '',
  presets: [],
  picked: '',
  own: [],
  ownTasks: [],
};

/** The method that has no levels. */
const MEAN = 'mean';

/** What stands before the name of weights that a reader has saved, and of a system that they have added. */
const [SAVED, OWN] = ['ps.', 'y.'];

/** Keys of the two systems that are compared. */
const PAIR = ['a', 'b'] as const;

/** Write an address; an empty text for the page as it opens. */
export function toHash(address: Address): string {
  const { view, recipe, pair, weights, groups, open, way, pinned, pinnedGroups, pinnedWay } = address;
  const {
    out,
    sort,
    query,
    least,
    filters,
    colour,
    fold,
    hard,
    model,
    numbers,
    explained,
    data,
    presets,
    picked,
    own,
    ownTasks,
  } = address;
  const weighed = (key: string, of: Address['weights']): string => (of.length > 0 ? `${key}=${weightsText(of)}` : '');
  const listed = (key: string, names: readonly string[]): string =>
    names.length > 0 ? `${key}=${names.map(encodeURIComponent).join(',')}` : '';
  const parts = [
    view === PLAIN.view ? '' : `v=${view}`,
    recipe === '' ? '' : `df=${recipe}`,
    ...pair.map((name, side) => (name === '' ? '' : `${PAIR[side]}=${encodeURIComponent(name)}`)),
    weighed('w', weights),
    weighed('g', groups),
    listed('o', open),
    way === '' ? '' : way === MEAN || isStrength(way) ? `m=${way}` : `l=${way}`,
    weighed('p', pinned),
    weighed('pg', pinnedGroups),
    pinnedWay === '' ? '' : `pl=${pinnedWay}`,
    listed('x', out),
    sort === PLAIN.sort ? '' : `s=${encodeURIComponent(sort)}`,
    query === '' ? '' : `q=${encodeURIComponent(query)}`,
    listed('f', filters),
    colour === '' ? '' : `hue=${encodeURIComponent(colour)}`,
    fold === '' ? '' : `one=${encodeURIComponent(fold)}`,
    least === 0 ? '' : `r=${least}`,
    hard ? 'i=hard' : '',
    model ? 'k=model' : '',
    numbers === PLAIN.numbers ? '' : `c=${numbers}`,
    explained ? '' : 'h=0',
    ...presets.map(([name, of]) => `${SAVED}${encodeURIComponent(name)}=${weightsText(of)}`),
    weighed('yt', ownTasks),
    ...own.map(([name, of]) => `${OWN}${encodeURIComponent(name)}=${weightsText(of)}`),
    picked === '' ? '' : `n=${encodeURIComponent(picked)}`,
  ];
  const text = parts.filter((part) => part !== '').join('&');
  return text === '' ? '' : `#${text}${data === '' ? '' : `&d=${data}`}`;
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
  return {
    view: parts.get('v') ?? PLAIN.view,
    recipe: parts.get('df') ?? PLAIN.recipe,
    pair: [decoded(parts.get('a') ?? ''), decoded(parts.get('b') ?? '')],
    weights: weightsIn(parts.get('w') ?? ''),
    groups: weightsIn(parts.get('g') ?? ''),
    open: namesIn(parts.get('o') ?? ''),
    pinned: weightsIn(parts.get('p') ?? ''),
    pinnedGroups: weightsIn(parts.get('pg') ?? ''),
    pinnedWay: parts.get('pl') ?? PLAIN.pinnedWay,
    way: parts.get('m') ?? parts.get('l') ?? PLAIN.way,
    out: namesIn(parts.get('x') ?? ''),
    sort: decoded(parts.get('s') ?? PLAIN.sort),
    query: decoded(parts.get('q') ?? ''),
    filters: namesIn(parts.get('f') ?? ''),
    colour: decoded(parts.get('hue') ?? ''),
    fold: decoded(parts.get('one') ?? ''),
    least: shareIn(parts.get('r') ?? ''),
    hard: parts.get('i') === 'hard',
    model: parts.get('k') === 'model',
    numbers: parts.get('c') === 'beaten' ? 'beaten' : PLAIN.numbers,
    explained: parts.get('h') !== '0',
    data: parts.get('d') ?? PLAIN.data,
    presets: namedIn(parts, SAVED, weightsIn),
    picked: decoded(parts.get('n') ?? ''),
    own: namedIn(parts, OWN, numbersIn),
    ownTasks: numbersIn(parts.get('yt') ?? '').filter(([, number]) => Number.isInteger(number) && number !== 0),
  };
}

/** What stands under names behind a beginning. */
function namedIn(
  parts: ReadonlyMap<string, string>,
  start: string,
  read: (text: string) => Address['weights'],
): Address['presets'] {
  return [...parts].flatMap(([key, value]) =>
    key.startsWith(start) ? [[decoded(key.slice(start.length)), read(value)] as const] : [],
  );
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
