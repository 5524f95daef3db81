/** The answer in a sentence. Names are set apart, so that a page can mark them. */

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
  /** For each system the share of the instances on which it has a score. */
  readonly coverage?: readonly number[];
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

/** A possible winner with less of the scores of another one than this share was run on something else. */
const COVERED = 0.8;

/** Over what intervals speak, as `podium rank` says it. */
export function scopeInWords(units: 'tasks' | 'instances', tasks: number): string {
  if (units === 'tasks') return 'over other tasks like these';
  return tasks === 1 ? 'on this task' : `on these ${countText(tasks)} tasks`;
}

/** Say who is first, and who may be as good. */
export function answerInWords(answer: Answer): Part[] {
  const said = [...whoLeads(answer), ...onWhat(answer), ...byModel(answer)];
  if (answer.before !== undefined)
    said.push({ text: ` ${answer.before.by} it was ` }, { text: answer.before.name, changed: true }, { text: '.' });
  return said;
}

function whoLeads(answer: Answer): Part[] {
  const { systems, ranked, first, best, elsewhere, confidence, scope } = answer;
  const name = (system: number): Part => ({ text: systems[system], strong: true });
  const [leader] = first;
  const leads = isElsewhere(answer) ? 'leads on what was run' : 'is first';
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
  const lead = [...listed(first.map(name)), { text: first.length > 1 ? ' share the first rank' : ` ${leads}` }];
  const others = best.filter((system) => !first.includes(system));
  if (others.length === 0) return [...lead, { text: sure }];
  if (best.length === ranked)
    return [...lead, { text: `, but any of the ${inWords(ranked)} systems may be the best${sure}` }];
  if (others.length === 1) return [...lead, { text: ', and ' }, name(others[0]), { text: ` may be as good${sure}` }];
  return [
    ...lead,
    { text: ', and ' },
    { text: inWords(others.length), strong: true },
    { text: ` others may be as good${sure}` },
  ];
}

/** Whether a model of the missing scores puts others first. */
function isElsewhere({ systems, first, modelled = [] }: Answer): boolean {
  return modelled.length > 0 && !first.some((system) => modelled.includes(systems[system]));
}

function byModel(answer: Answer): Part[] {
  if (!isElsewhere(answer)) return [];
  const names = (answer.modelled ?? []).map((text): Part => ({ text }));
  return [{ text: ' A model of the missing scores puts ' }, ...listed(names), { text: ' first.' }];
}

/** Say so where possible winners were run on more and on less: who leads, leads on what was run. */
function onWhat({ systems, first, best, coverage }: Answer): Part[] {
  if (best === undefined || best === null || coverage === undefined || best.length === 0) return [];
  const by = [...new Set([...first, ...best])].sort((one, other) => coverage[one] - coverage[other]);
  const [least, most] = [by[0], by[by.length - 1]];
  if (coverage[least] >= COVERED * coverage[most]) return [];
  const share = (system: number): string => `${countText(Math.floor(100 * coverage[system]))}%`;
  const name = (system: number): Part => ({ text: systems[system] });
  return [
    { text: ' That is on what was run: ' },
    name(least),
    { text: ` has ${share(least)} of the scores, ` },
    name(most),
    { text: ` ${share(most)}.` },
  ];
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
