/** The answer by difficulty in a sentence. */

import { capital, inWords, listed, percent, type Part } from './sentence';

/** Systems that a note names. */
const NAMED = 5;

export interface ByDifficulty {
  readonly systems: readonly string[];
  /** First by accuracy, and by the weighted score. */
  readonly accurate: readonly number[];
  readonly first: readonly number[];
  /** Systems that may be the best; null where that cannot be known, undefined where it is not known yet. */
  readonly best: readonly number[] | null | undefined;
  readonly confidence: number;
  readonly movers: number;
}

export function difficultyInWords(asked: ByDifficulty): Part[] {
  const { systems, accurate, first, movers } = asked;
  const name = (system: number): Part => ({ text: systems[system], strong: true });
  const names = (of: readonly number[]): Part[] => listed(of.map(name));
  const same = accurate.length === first.length && accurate.every((system) => first.includes(system));
  const verb = first.length > 1 ? 'are' : 'is';
  const lead: Part[] = same
    ? [...names(first), { text: ` ${verb} first by accuracy and by the weighted score` }]
    : [
        { text: 'By accuracy ' },
        ...plain(accurate, systems),
        { text: `; weighted, ` },
        ...names(first),
        { text: ` ${verb} first` },
      ];
  const who =
    movers === 0
      ? ' Nobody moves.'
      : ` ${capital(inWords(movers))} of ${inWords(systems.length)} ${movers === 1 ? 'moves' : 'move'}.`;
  return [...lead, ...others(asked, name), { text: who, ...(movers > 0 ? { changed: true } : {}) }];
}

function plain(of: readonly number[], systems: readonly string[]): Part[] {
  const verb = of.length > 1 ? 'are' : 'is';
  return [...listed(of.map((system) => ({ text: systems[system] }))), { text: ` ${verb} first` }];
}

function others({ first, best, confidence }: ByDifficulty, name: (system: number) => Part): Part[] {
  if (best === undefined || best === null) return [{ text: '.' }];
  const sure = ` (${percent(confidence)} confidence).`;
  const also = best.filter((system) => !first.includes(system));
  if (also.length === 0) return [{ text: sure }];
  if (also.length === 1) return [{ text: ', and ' }, name(also[0]), { text: ` may be as good${sure}` }];
  return [{ text: ', and ' }, { text: inWords(also.length), strong: true }, { text: ` others may be as good${sure}` }];
}

/** Systems that some splits leave out, as `podium customize` names them. */
export function shortInWords(systems: readonly string[]): string {
  const more = systems.length > NAMED ? `, … (${systems.length})` : '';
  return `no score by split, because there are fewer confidences than splits: ${systems.slice(0, NAMED).join(', ')}${more}`;
}
