/** What would change the winner, in words. */

import type { Stressed } from '../transport/stressed';
import { capital, inWords, listed, type Part } from './sentence';

/** Stresses that are named. */
const NAMED = 3;

/** Say whether the leaders by the first method keep the first place under most of what was tried. */
export function robustnessInWords({ leaders, stresses }: Pick<Stressed, 'leaders' | 'stresses'>): Part[] {
  const first = leaders[0] ?? [];
  const who =
    first.length > NAMED
      ? [{ text: `${inWords(first.length)} systems`, strong: true }]
      : listed(first.map((text) => ({ text, strong: true })));
  const several = first.length > 1;
  const broken = stresses.filter(({ breakdown }) => breakdown[0] !== null).map(({ axis }) => axis);
  const kinds = `${inWords(stresses.length)} ${stresses.length === 1 ? 'kind' : 'kinds'} of stress`;
  if (broken.length === 0) {
    const keep = several ? 'keep' : 'keeps';
    const under =
      stresses.length === 1
        ? 'the one kind of stress that was tried'
        : `${stresses.length === 2 ? 'both' : `all ${inWords(stresses.length)}`} kinds of stress`;
    return [...who, { text: ` ${keep} the first place in at least half of the cases, under ${under}.` }];
  }
  const lose = several ? 'lose' : 'loses';
  const named = listed(broken.slice(0, NAMED).map((text) => ({ text })));
  const more = broken.length > NAMED ? [{ text: ` and ${inWords(broken.length - NAMED)} more` }] : [];
  const count = stresses.length === 1 ? 'stress' : `${inWords(broken.length)} of ${kinds}`;
  const text = ` ${lose} the first place in more than half of the cases under ${count}: `;
  return [...who, { text }, ...(broken.length > NAMED ? commas(named) : named), ...more, { text: '.' }];
}

/** A list that goes on. */
function commas(parts: readonly Part[]): Part[] {
  return parts.map((part) => (part.text === ' and ' ? { text: ', ' } : part));
}

/** A sentence of the verdict as it stands in a list; names keep their letters. */
export function verdictText(sentence: string): string {
  return `${/^(the|leaving|without|all|no|if) /.test(sentence) ? capital(sentence) : sentence}.`;
}
