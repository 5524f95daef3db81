/** Two systems against each other, in words, and as a command of podium. */

import type { Effect } from '../kernel/paired';
import { isKept, type Pooled } from '../kernel/pooling';
import type { TaskTests } from '../kernel/task-tests';
import { commandOf, quoted } from './command';
import { fixed, scoreText, withMinus } from './number';
import { inWords, percent, type Part } from './sentence';

/** A task that is compared, or says why it is not. */
export interface NamedEffect extends Effect {
  readonly name: string;
  readonly weight: number;
  readonly higherIsBetter: boolean;
  readonly clustered: boolean;
}

/** Effects are said in points where all scores are 0 or 1. */
export interface Units {
  readonly factor: number;
  readonly name: string;
}

export function unitsOf(binary: boolean): Units {
  return binary ? { factor: 100, name: ' points' } : { factor: 1, name: '' };
}

/** How many decimals show two digits of a width. */
export function decimals(width: number): number {
  if (!(Number.isFinite(width) && width > 0)) return 2;
  return Math.min(Math.max(1 - Math.floor(Math.log10(width)), 0), 12);
}

/** A number with a true minus sign, which 0 has not. */
export function signed(number: number, places: number): string {
  return Number.isFinite(number) ? withMinus(fixed(number, places)) : '–';
}

/** An end of an interval; one below 0 that rounds to 0 gets a digit that shows on which side it lies. */
export function endText(number: number, places: number): string {
  const text = signed(number, places);
  return number < 0 && Number(text) === 0 ? scoreText(Number(number.toPrecision(1))) : text;
}

export function chance(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${fixed(p, p < 0.1 ? 3 : 2)}`;
}

const ALIKE = 'differences are rare or skewed, so weights would depend on effects; tasks count as equally precise';

export interface Said {
  readonly sentence: readonly Part[];
  readonly how: string;
}

/** How much better the treatment is, how far tasks differ, and what to expect of a new one. */
export function effectInWords(
  [control, treatment]: readonly [string, string],
  found: Pooled,
  task: string,
  units: Units,
  confidence: number,
): Said {
  const { factor } = units;
  const width = decimals(factor * (found.high - found.low));
  const places = Math.max(width, Math.min(decimals(Math.abs(factor * found.effect)), width + 1));
  const end = (value: number): string => endText(factor * value, places);
  const size = signed(factor * Math.abs(found.effect), places);
  const name = { text: treatment, strong: true };
  const where = found.tasks > 1 ? 'on average' : `on ${task}`;
  const sure = found.low > 0 || found.high < 0;
  const side = found.effect > 0 ? 'better' : 'worse';
  const sentence: Part[] =
    Number(size) === 0
      ? [name, { text: ' and ' }, { text: control, strong: true }, { text: ` score the same ${where}.` }]
      : [
          name,
          { text: ` is ${sure ? '' : 'perhaps '}${size}${units.name} ${side} than ` },
          { text: control, strong: true },
          { text: ` ${where}${sure ? '.' : ', or no different.'}` },
        ];
  const what = found.tasks > 1 ? 'The average' : 'The difference';
  const said = [`${what} lies between ${end(found.low)} and ${end(found.high)}${units.name} (${percent(confidence)}).`];
  if (found.tasks > 1)
    said.push(
      howTasksDiffer(found),
      `On a task nobody has run, expect between ${end(found.newLow)} and ${end(found.newHigh)} (${percent(confidence)}).`,
    );
  return { sentence, how: said.join(' ') };
}

function howTasksDiffer({ i2, qP }: Pooled): string {
  const share = percent(Number(fixed(i2, 2)));
  const unlikely = qP < 0.05;
  if (i2 >= 0.005)
    return unlikely
      ? `Tasks differ: of the variation, ${share} is more than chance.`
      : `Tasks may differ: of the variation, ${share} would be more than chance.`;
  // an imprecise task that is far off counts fully in Q, and hardly in τ², from which I² comes
  return unlikely
    ? `Tasks may differ (Q test ${chance(qP)}, but I² = ${share}).`
    : `No sign that tasks differ (I² = ${share}).`;
}

/** On how many tasks the treatment is better, and whether that may be chance. */
export function testsInWords(
  [control, treatment]: readonly [string, string],
  found: TaskTests,
  confidence: number,
): Said {
  const { wins, losses, ties, mean } = found;
  const all = found.tasks.length;
  const name = { text: treatment, strong: true };
  const on = wins === all ? `all ${inWords(all)}` : `${inWords(wins)} of ${inWords(all)}`;
  const lost = [
    ...(losses > 0 ? [`loses on ${inWords(losses)}`] : []),
    ...(ties > 0 ? [`ties on ${inWords(ties)}`] : []),
  ];
  const verdict = found.wilcoxonP < 1 - confidence ? '.' : ', which may be chance.';
  const sentence: Part[] = [
    name,
    { text: ' beats ' },
    { text: control, strong: true },
    {
      text: ` on ${[`${on} tasks`, ...lost.slice(0, -1)].join(', ')}${lost.length > 0 ? ` and ${lost[lost.length - 1]}` : ''}${verdict}`,
    },
  ];
  const said = [
    `Wilcoxon’s signed-rank test ${chance(found.wilcoxonP)}; sign test ${chance(found.signP)}; both exact.`,
  ];
  const places = Math.max(decimals(Math.max(...found.differences.map(Math.abs))), 2);
  if (Number.isFinite(mean))
    said.push(`On average the difference is ${signed(mean, places)}${endsOf(found, places, confidence)}.`);
  else said.push('Tasks may differ in scale, so nothing is averaged over them.');
  return { sentence, how: said.join(' ') };
}

function endsOf({ low, high }: TaskTests, places: number, confidence: number): string {
  return Number.isFinite(low)
    ? `, between ${endText(low, places)} and ${endText(high, places)} (${percent(confidence)})`
    : '';
}

/** What to know before trusting a comparison of instances, as `podium compare` says it. */
export function doubts(tasks: readonly NamedEffect[], shared: number, binary: boolean, alike: boolean): string[] {
  const notes: string[] = alike ? [ALIKE] : [];
  const say = (before: string, of: readonly NamedEffect[], after = ''): void => {
    if (of.length > 0) notes.push(before + few(of.map(({ name }) => name)) + after);
  };
  const kept = tasks.filter(isKept);
  const left = tasks.filter((task) => !isKept(task));
  const reasons = new Set(left.map(reasonOf));
  for (const why of reasons)
    say(
      `left out (${why}): `,
      left.filter((task) => reasonOf(task) === why),
    );
  const alone = kept.reduce((sum, one) => sum + one.alone, 0);
  say(
    `not used: ${howMany(alone, 'instance')} with a score for only one of the two systems, on `,
    kept.filter((one) => one.alone > 0),
  );
  say(
    'all differences are equal on ',
    kept.filter(({ limited }) => limited),
    '; for the variance, one instance there counts as independent',
  );
  say(
    `fewer than ${SMALL} common instances on `,
    kept.filter(({ effective }) => effective < SMALL),
    ', so the variance there is uncertain',
  );
  const clustered = kept.filter((one) => one.clustered);
  if (clustered.length > 0) {
    const number = clustered.reduce((sum, one) => sum + one.clusters, 0);
    notes.push(`the variance of each effect is that of whole clusters, ${number.toLocaleString('en')} over all tasks`);
  }
  say(
    `fewer than ${SMALL} clusters on `,
    clustered.filter(({ clusters }) => clusters < SMALL),
    ', so the variance there is uncertain',
  );
  if (shared > 0)
    notes.push(
      `tasks share instances (${howMany(shared, 'set')}) but count as independent here: the interval is too narrow, podium compare has the right one`,
    );
  say(
    'lower is better on ',
    kept.filter((one) => !one.higherIsBetter),
    '; effects there change sign, so that positive is better',
  );
  if (!binary) notes.push(...unlikeScales(kept));
  return notes;
}

/** Which tasks are hardly on one scale, by the means of the control; see `unlike_scales` of the library. */
function unlikeScales(kept: readonly NamedEffect[]): string[] {
  const known = kept
    .map(({ name, control }) => ({ name, size: Math.abs(control) }))
    .filter(({ size }) => size > 0)
    .sort((one, other) => one.size - other.size || (one.name < other.name ? -1 : 1));
  if (known.length === 0) return [];
  const [small, large] = [known[0], known[known.length - 1]];
  const alike = large.size <= 1 || (small.size > 1 && large.size <= 100);
  if (alike || large.size < (small.size <= 1 ? 3 : 10) * small.size) return [];
  const [first, second] = [large, small].map(({ name, size }) => {
    const places = Math.min(Math.max(1 - Math.floor(Math.log10(size)), 0), 12);
    const number = size.toLocaleString('en', { minimumFractionDigits: places, maximumFractionDigits: places });
    return `${name.length <= 12 ? name : `${name.slice(0, 11).trimEnd()}…`}: about ${number}`;
  });
  return [`scales may differ (${first}, ${second}), so a mean misleads; add -e smd to the command`];
}

/** Instances below which a variance is itself uncertain. */
const SMALL = 10;

/** Ratio of the middle variance to the least above which an interval of many tasks may hold less often than it says. */
const MOST_UNLIKE = 1000;

/** What to know of the average; `turns` are tasks that decide whether its interval holds 0, null where nobody looked. */
export function doubtsOfPooling(
  kept: readonly NamedEffect[],
  { tasks, low, high }: Pooled,
  turns: readonly number[] | null,
  weighedBy: readonly number[],
): string[] {
  if (tasks === 1)
    return [
      'with one task nothing is known of others; its row has the normal interval, the sentence one that is right for few instances',
    ];
  const notes: string[] = [];
  if (turns === null) notes.push(`there are ${tasks} tasks, too many to leave each one out in turn`);
  else if (turns.length > 0) {
    const names = few(turns.map((at) => kept[at].name));
    const would = low > 0 || high < 0 ? 'would' : 'would no longer';
    notes.push(
      `without ${turns.length > 1 ? 'any one of ' : ''}${names}, the interval of the summary ${would} contain 0 (no effect)`,
    );
  }
  if (tasks < 5) notes.push(`${tasks} tasks are too few to know well how much tasks differ`);
  const variances = Float64Array.from(weighedBy).sort();
  const [least, middle, most] = [variances[0], variances[tasks >> 1], variances[tasks - 1]];
  const ratio = most / least;
  if (Math.max(middle, most / 10) / least > Math.min(50 * (tasks - 1), MOST_UNLIKE))
    notes.push(
      `with ${tasks} tasks and variances that differ 1 : ${ratio < 1e6 ? Math.round(ratio).toLocaleString('en') : 'over 1,000,000'}, this interval may be too narrow; take it as a hint`,
    );
  return notes;
}

function reasonOf({ why, weight }: NamedEffect): string {
  return weight > 0 ? why : 'weight 0';
}

/** The first five names, and how many more there are. */
function few(names: readonly string[]): string {
  const rest = names.length - 5;
  return names.slice(0, 5).join(', ') + (rest > 0 ? ` and ${rest.toLocaleString('en')} more` : '');
}

export function howMany(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** The command that prints the same numbers; of weights only those of 0 count. */
export function compareCommand(
  command: string,
  [control, treatment]: readonly [string, string],
  tasks: readonly string[],
  weights: readonly number[],
): string {
  const pair = `${command} ${quoted(`--control=${control}`)} ${quoted(`--treatment=${treatment}`)}`;
  return commandOf(pair, { tasks, weights: weights.map((weight) => (weight > 0 ? 1 : 0)), way: null, out: [] });
}
