/** The answer of the leaderboard in a sentence. Names are set apart, so that a page can mark them. */

import { countText } from './number';

export interface Part {
  readonly text: string;
  /** A system, or a number of them. */
  readonly strong?: boolean;
  readonly changed?: boolean;
}

export interface Answer {
  readonly systems: readonly string[];
  /** How many of them are ranked. */
  readonly ranked: number;
  /** Systems that share the first rank. */
  readonly first: readonly number[];
  /** Systems that may be the best; null where that cannot be known, and undefined where it is not known yet. */
  readonly best: readonly number[] | null | undefined;
  /** Whether that can be known, but not from this page. */
  readonly elsewhere?: boolean;
  readonly confidence: number;
  /** Over what intervals speak. */
  readonly scope: string;
  /** For each system the share of the instances on which it has a score; and the share of all scores that are missing. */
  readonly coverage?: readonly number[];
  readonly missing?: number;
  /** Systems that a model of the missing scores puts first; none where that is not known. */
  readonly modelled?: readonly string[];
  /** Who was first before, if that was another, and by what. */
  readonly before?: { readonly name: string; readonly by: string };
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Numbers to ten are words. */
export function inWords(number: number): string {
  return NUMBERS[number] ?? countText(number);
}

/** A possible winner with less of the scores than this share of what another system has was run on something else. */
const COVERED = 0.8;

/** Of these so many are named. */
const NAMED = 2;

/** Over what intervals speak, as `podium rank` says it. */
export function scopeInWords(units: 'tasks' | 'instances', tasks: number): string {
  if (units === 'tasks') return 'over other tasks like these';
  return tasks === 1 ? 'on this task' : `on these ${countText(tasks)} tasks`;
}

/** Say who is first, and who may be as good. */
export function answerInWords(answer: Answer): Part[] {
  const rests = caveat(answer);
  const said = [...whoLeads(answer, rests.length > 0), ...rests];
  if (answer.before !== undefined)
    said.push({ text: ` ${answer.before.by} it was ` }, { text: answer.before.name, changed: true }, { text: '.' });
  return said;
}

function whoLeads(answer: Answer, rests: boolean): Part[] {
  const { systems, ranked, first, best, elsewhere, confidence, scope } = answer;
  const name = (system: number): Part => ({ text: systems[system], strong: true });
  const [leader] = first;
  const leads = rests ? 'leads on what was run' : 'is first';
  const sure = ` (${percent(confidence)} confidence, ${scope}).`;
  if (best === undefined || best === null) {
    if (first.length > 1) return [...listed(first.map(name)), { text: ' share the first rank.' }];
    if (best === undefined) return [name(leader), { text: ` ${leads}.` }];
    const why =
      elsewhere === true
        ? 'This page does not hold how sure that is.'
        : 'How sure that is cannot be said from this file.';
    return [name(leader), { text: ` ${leads}. ${why}` }];
  }
  if (best.length === ranked && ranked > 1)
    return [
      { text: 'Any of the ' },
      { text: inWords(ranked), strong: true },
      { text: ` systems may be the best${sure}` },
    ];
  const lead = [...listed(first.map(name)), { text: first.length > 1 ? ' share the first rank' : ` ${leads}` }];
  const others = best.filter((system) => !first.includes(system));
  if (others.length === 0) return [...lead, { text: sure }];
  if (others.length === 1) return [...lead, { text: ', and ' }, name(others[0]), { text: ` may be as good${sure}` }];
  return [
    ...lead,
    { text: ', and ' },
    { text: inWords(others.length), strong: true },
    { text: ` others may be as good${sure}` },
  ];
}

/** How many systems without strengths are named. */
const UNBEATEN = 3;

/** Say why there are no strengths: these systems never lose to or tie with the others. */
export function unbeatenInWords(names: readonly string[], ranked: number): Part[] {
  const instead = 'Give other tasks weight, or choose Bradley–Terry with a prior.';
  if (names.length === ranked)
    return [{ text: `No strengths: no cycle of battles has more wins than ties. ${instead}` }];
  const more = names.length > UNBEATEN ? [{ text: `${countText(names.length - UNBEATEN)} more` }] : [];
  const who = listed([...names.slice(0, UNBEATEN).map((text) => ({ text, strong: true })), ...more]);
  const never = names.length === 1 ? 'never loses to or ties with' : 'never lose to or tie with';
  return [{ text: 'No strengths: ' }, ...who, { text: ` ${never} the others. ${instead}` }];
}

/** Say what the first place rests on, by the rule of `podium rank`; nothing if it does not depend on missing scores. */
function caveat({ systems, first, best, coverage, missing = 0, modelled = [] }: Answer): Part[] {
  const [leader] = first;
  const name = (text: string): Part => ({ text });
  const most = Math.max(...(coverage?.filter(Number.isFinite) ?? []));
  const short = coverage === undefined ? [] : (best ?? first).filter((system) => coverage[system] < COVERED * most);
  const clauses: Part[][] = [];
  if (short.includes(leader))
    clauses.push([name(systems[leader]), { text: ` has ${shareInWords(coverage?.[leader] ?? 0)} of its own` }]);
  else if (short.length > 0) {
    const more = short.length > NAMED ? [{ text: `${countText(short.length - NAMED)} more` }] : [];
    const names = listed([...short.slice(0, NAMED).map((system) => name(systems[system])), ...more]);
    clauses.push([...names, { text: ` ${short.length === 1 ? 'has' : 'have'} much fewer than others` }]);
  }
  if (modelled.length > 0 && !first.some((system) => modelled.includes(systems[system])))
    clauses.push([{ text: 'a model of them puts ' }, ...listed(modelled.map(name)), { text: ' first' }]);
  const ands = clauses.flatMap((clause, at) => [{ text: at === clauses.length - 1 ? ', and ' : ', ' }, ...clause]);
  const scores = `${shareInWords(missing)} of the scores are missing`;
  return clauses.length === 0 ? [] : [{ text: ` ${scores}` }, ...ands, { text: '.' }];
}

/** A share of scores: all and none are said of all and none only. */
export function shareInWords(share: number): string {
  return share > 0 && share < 0.01 ? '<1%' : `${Math.min(Math.round(100 * share), share < 1 ? 99 : 100)}%`;
}

export function listed(parts: readonly Part[]): Part[] {
  return parts.flatMap((part, index) => {
    if (index === 0) return [part];
    return [{ text: index === parts.length - 1 ? ' and ' : ', ' }, part];
  });
}

export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))}%`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface Lift {
  readonly name: string;
  /** Wished for, had before, and got. */
  readonly rank: number;
  readonly before: number;
  readonly got: number;
  /** Share of all weight that moves; null where no weights do it. */
  readonly moved: number | null;
  /** Whether that is proven. */
  readonly proven: boolean;
  /** One that beats it on every task. */
  readonly beatenBy: string | null;
}

export function liftInWords({ name, rank, before, got, moved, proven, beatenBy }: Lift): Part[] {
  const system = { text: name, strong: true };
  if (moved !== null) {
    const place = got === 1 ? 'is first' : `has rank ${got}`;
    return [
      { text: 'Nearest weights under which ' },
      system,
      { text: ` ${place}: ${moved < 0.01 ? 'less than 1%' : `${Math.round(100 * moved)}%`} of all weight moves. ` },
      { text: 'Its rank is sure only for weights chosen beforehand.' },
    ];
  }
  const others = `the best ${rank === 2 ? 'other' : `${inWords(rank - 1)} others`}`;
  if (rank > before) return [{ text: `No weights put ${others} above ` }, system, { text: '.' }];
  const clearly = proven ? '' : 'clearly ';
  const refused = rank === 1 ? ` ${clearly}first.` : ` ${clearly}above all but ${others}.`;
  const by =
    beatenBy === null ? [] : [{ text: ' ' }, { text: beatenBy, strong: true }, { text: ' beats it on every task.' }];
  return [{ text: 'No weights put ' }, system, { text: refused }, ...by];
}

/** Say what made the groups, and what their cells show. */
export function groupsInWords(by: 'given' | 'beginning' | 'ending', isMean: boolean): string {
  const made = by === 'given' ? '' : ` of tasks whose names ${by === 'beginning' ? 'begin' : 'end'} alike`;
  return (
    `Bold: groups${made}, with the mean share over their tasks by weight. The hatched part of a group has no score, ` +
    `and counts ${isMean ? 'for nothing' : 'there as it does in the ranking'}.`
  );
}

/** Say over which tasks systems are ranked: those that weigh something, and how many of these are in how many groups. */
export function tasksInWords(silent: string, groups: readonly { readonly tasks: readonly number[] }[]): string {
  const counts = (task: number): boolean => silent[task] !== '1';
  const all = silent.length;
  const counted = Array.from({ length: all }, (_, task) => task).filter(counts).length;
  const own = groups.map(({ tasks }) => tasks.filter(counts).length).filter((size) => size > 0);
  const grouped = own.reduce((sum, size) => sum + size, 0);
  const few = `${inWords(counted)} of ${inWords(all)} tasks`;
  const said = counted < all ? few : all === 1 ? 'one task' : `all ${inWords(all)} tasks`;
  if (grouped === 0) return said;
  const which = `in ${inWords(own.length)} ${own.length === 1 ? 'group' : 'groups'}`;
  return grouped === counted ? `${said} ${which}` : `${said}, ${inWords(grouped)} of them ${which}`;
}
