/** The leaderboard as a link holds it, by names. */

import type { Weights } from '../kernel/group';
import type { Address, Visited } from '../text/address';
import type { Leaderboard } from './leaderboard.svelte';

/** What stands before the name of a task, group, or property, by which rows are sorted. */
const [TASK, GROUP, PROPERTY] = [':', '*', '$'];

type Named = Address['weights'];

/** What a link to a leaderboard holds. */
export function linkTo(board: Leaderboard): Omit<Address, 'view' | 'recipe' | 'pair' | 'picked' | keyof Visited> {
  const { sort, data, query, least, explained, way, usual, given, asGiven, chosen, pinned, columns, unwanted } = board;
  const mark = sort.by === 'column' && sort.column.isGroup ? GROUP : TASK;
  return {
    weights: changed(data.tasks, chosen.tasks, given),
    groups: changed(data.groups, chosen.groups, asGiven.groups),
    open: columns.open.map((group) => data.groups[group].name),
    way: way === usual ? '' : way,
    pinned: changed(data.tasks, pinned.chosen.tasks, given),
    pinnedGroups: changed(data.groups, pinned.chosen.groups, asGiven.groups),
    pinnedWay: pinned.way === usual ? '' : pinned.way,
    out: unwanted.map((system) => data.systems[system]),
    sort:
      sort.by === 'column'
        ? `${mark}${sort.column.name}`
        : sort.by === 'property'
          ? `${PROPERTY}${sort.name}`
          : sort.by,
    filters: board.properties.link,
    colour: board.properties.colour,
    fold: board.properties.fold,
    query,
    least,
    model: board.wantsModel,
    numbers: columns.numbers,
    explained,
    data: data.digest,
    presets: board.saved.map(({ name, weights }) => [name, changed(data.tasks, weights, given)]),
  };
}

/** Show what a link holds, and return what it asks for that is not here. */
export function follow(address: Address, board: Leaderboard): string[] {
  const { data, columns, ways, usual } = board;
  const wayOf = (named: string): typeof usual => ways.find((way) => way === named) ?? usual;
  const weightsOf = (tasks: Named, groups: Named): Weights => ({
    tasks: named(data.tasks, tasks, board.given),
    groups: named(data.groups, groups, board.asGiven.groups),
  });
  board.chosen = weightsOf(address.weights, address.groups);
  board.way = wayOf(address.way);
  board.pinned = { way: wayOf(address.pinnedWay), chosen: weightsOf(address.pinned, address.pinnedGroups) };
  columns.open = address.open.map((name) => data.groups.findIndex((group) => group.name === name)).filter(isFound);
  const column = columns.named(address.sort.slice(1), address.sort.startsWith(GROUP));
  if (column !== undefined && [GROUP, TASK].includes(address.sort[0]))
    board.sort = { by: 'column', column: columns.visible(column) };
  else if (address.sort.startsWith(PROPERTY) && board.properties.named(address.sort.slice(1)) !== undefined)
    board.sort = { by: 'property', name: address.sort.slice(1) };
  else board.sort = { by: address.sort === 'name' ? 'name' : 'rank' };
  const out = address.out.map((name) => data.systems.indexOf(name)).filter(isFound);
  board.unwanted = data.systems.length - out.length > 1 ? out : [];
  board.query = address.query;
  board.least = address.least;
  board.wantsModel = address.model;
  const unknown = board.properties.follow(address.filters, address.colour, address.fold);
  board.explained = address.explained;
  board.saved = address.presets.map(([name, weights]) => ({ name, weights: weightsOf(weights, []).tasks }));
  columns.numbers = address.numbers;
  const weighed = [...address.weights, ...address.pinned, ...address.presets.flatMap(([, own]) => own)];
  const groups = [...address.groups, ...address.pinnedGroups].map(([name]) => name);
  const sorts = address.sort.startsWith(TASK) || address.sort.startsWith(GROUP) ? [address.sort] : [];
  return [
    ...absent(
      'task',
      weighed.map(([name]) => name),
      data.tasks.map(({ name }) => name),
    ),
    ...absent(
      'group',
      [...groups, ...address.open],
      data.groups.map(({ name }) => name),
    ),
    ...absent('property', unknown, []),
    ...absent('system', address.out, data.systems),
    ...absent('method', [address.way, address.pinnedWay].filter(Boolean), ways),
    ...(column === undefined
      ? absent(
          'column',
          sorts.map((name) => name.slice(1)),
          [],
        )
      : []),
  ];
}

/** Names of something that is not among those that are here. */
export function absent(what: string, wanted: readonly string[], here: readonly string[]): string[] {
  return [...new Set(wanted)].filter((name) => !here.includes(name)).map((name) => `${what} “${name}”`);
}

/** Weights by name: those that are not as given, and all, of those that are named. */
function changed(of: readonly { readonly name: string }[], own: readonly number[], given: readonly number[]): Named {
  return of.flatMap(({ name }, at) => (own[at] === given[at] ? [] : [[name, own[at]] as const]));
}

function named(of: readonly { readonly name: string }[], some: Named, given: readonly number[]): readonly number[] {
  const known = new Map(some);
  return of.map(({ name }, at) => known.get(name) ?? given[at]);
}

function isFound(index: number): boolean {
  return index >= 0;
}
