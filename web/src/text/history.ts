/** How ranks went over versions of a table, in words. */

import type { Step, Versioned } from '../transport/versioned';
import { shortened } from './name';
import { capital, inWords, listed, percent } from './sentence';

/** Room for the label of a step, and steps that are named. */
const [LABEL, NAMED] = [168, 3];

export function labelText(label: string): string {
  return shortened(label, LABEL);
}

/** Say which of all systems are drawn; nothing where all are. */
export function drawnInWords(
  drawn: number,
  ranked: number,
  told: { readonly leaders: boolean; readonly picked: boolean },
): string {
  if (drawn >= ranked) return '';
  const chosen = told.leaders
    ? 'the six that are first now, those that were first once, and the best of the others'
    : 'the six that are first now, and some of those that were first once';
  return `Drawn are ${inWords(drawn)} of ${inWords(ranked)} systems: ${chosen}${told.picked ? '; and the one that you picked' : ''}.`;
}

/** Say what marks mean, as far as there are some; bands are of all systems of the last step, or of the best of them. */
export function marksInWords(steps: readonly Step[], confidence: number | null, all: boolean): string {
  const some = (of: 'entered' | 'left' | 'overtook'): boolean => steps.some((step) => step[of].length > 0);
  const said = [
    ...(confidence === null
      ? []
      : [`band: ${percent(confidence)} interval of the rank${all ? '' : ', of the six that are first now'}`]),
    ...(some('overtook') ? ['star: overtook a system, and the gain is more than noise'] : []),
    ...(some('entered') ? ['ring: entered'] : []),
    ...(some('left') ? ['cross: last seen'] : []),
  ];
  return said.length === 0 ? '' : `${capital(said.join('; '))}.`;
}

export interface Told {
  readonly name: string;
  /** In all steps; 0 for none. */
  readonly ranks: readonly number[];
  readonly ends: { readonly low: readonly number[]; readonly high: readonly number[] } | null;
  /** Steps in which it overtook another by more than noise. */
  readonly overtook: readonly number[];
}

/** The ranks of a system, now and before. */
export function courseInWords(
  { name, ranks, ends, overtook }: Told,
  { steps, confidence }: Pick<Versioned, 'steps' | 'confidence'>,
): string {
  const label = (step: number): string => labelText(steps[step].label);
  const known = Array.from(ranks.keys()).filter((step) => ranks[step] > 0);
  const now = steps.length - 1;
  if (known.length === 0) return `${name}: no rank in any step.`;
  const [first, last] = [known[0], known[known.length - 1]];
  const sure = ends !== null && confidence !== null && ends.low[last] > 0 ? interval(ends, last, confidence) : '';
  const held = known.map((step) => ranks[step]);
  const [best, worst] = [Math.min(...held), Math.max(...held)];
  const before =
    best === worst
      ? ''
      : `; at best ${best}, in ${label(ranks.indexOf(best))}; at worst ${worst}, in ${label(ranks.indexOf(worst))}`;
  return [
    `${name}: ${last === now ? '' : `no rank in ${label(now)}; before, `}rank ${ranks[last]} in ${label(last)}${sure}${before}.`,
    ...(first > 0 ? [`First ranked in ${label(first)}.`] : []),
    ...(overtook.length > 0 ? [`It overtook by more than noise in ${stepsInWords(overtook.map(label))}.`] : []),
  ].join(' ');
}

function interval({ low, high }: NonNullable<Told['ends']>, step: number, confidence: number): string {
  const [from, to] = [low[step], high[step]];
  return ` (${percent(confidence)} ${from === to ? `rank ${from}` : `ranks ${from}–${to}`})`;
}

function stepsInWords(labels: readonly string[]): string {
  if (labels.length > NAMED) return `${inWords(labels.length)} steps`;
  return listed(labels.map((text) => ({ text })))
    .map(({ text }) => text)
    .join('');
}
