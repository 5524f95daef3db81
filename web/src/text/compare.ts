/** Two systems against each other, in words, and as a command of podium. */

import type { Effect, Measure } from '../kernel/paired';
import { isKept, type Pooled } from '../kernel/pooling';
import { POWER, type Suite } from '../kernel/suite';
import type { TaskTests } from '../kernel/task-tests';
import { commandOf, quoted, type View } from './command';
import { fixed, scoreText, withMinus } from './number';
import { capital, inWords, percent, type Part } from './sentence';

/** A task that is compared, or says why it is not. */
export interface NamedEffect extends Effect {
  readonly name: string;
  readonly weight: number;
  readonly higherIsBetter: boolean;
  readonly clustered: boolean;
}

/** What effects are said in, and by what they are multiplied for that. */
export interface Units {
  readonly factor: number;
  readonly name: string;
}

export function unitsOf(measure: Measure, binary: boolean): Units {
  if (measure === 'smd') return { factor: 1, name: ' standard deviations' };
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

/** Why nothing is said of other tasks. */
export const DEPENDENT =
  'Tasks share instances or are of one family, so what holds on other tasks like these is said by podium compare.';

interface Ends {
  readonly effect: number;
  readonly low: number;
  readonly high: number;
}

/** How numbers of an effect are written: two digits of the interval, and of the effect if the interval is wide. */
function writer({ effect, low, high }: Ends, { factor }: Units): (value: number) => string {
  const width = decimals(factor * (high - low));
  const own = decimals(Math.abs(factor * effect));
  const places = Number.isFinite(high - low) ? Math.max(width, Math.min(own, width + 1)) : own;
  return (value) => endText(factor * value, places);
}

/** How much better the treatment is, and whether that may be chance. */
function verdict([control, treatment]: readonly [string, string], found: Ends, where: string, units: Units): Part[] {
  const size = writer(found, units)(Math.abs(found.effect));
  const [name, other] = [treatment, control].map((text) => ({ text, strong: true }));
  if (Number(size) === 0) return [name, { text: ' and ' }, other, { text: ` score the same ${where}.` }];
  const perhaps = found.low <= 0 && found.high >= 0;
  const open = perhaps ? ', or no different' : Number.isNaN(found.low) ? '; how sure that is cannot be said' : '';
  const side = found.effect > 0 ? 'better' : 'worse';
  return [
    name,
    { text: ` is ${perhaps ? 'perhaps ' : ''}${size}${units.name} ${side} than ` },
    other,
    { text: ` ${where}${open}.` },
  ];
}

/** What holds on these tasks, and then on others like these; null where that is not known, or not on one scale. */
export function effectInWords(
  names: readonly [string, string],
  suite: Suite | null,
  found: Pooled | null,
  units: Units,
  confidence: number,
): Said {
  const how = [
    ...(suite === null ? [] : suiteInWords(suite, unitsOf('md', suite.binary), confidence)),
    ...(found === null ? [DEPENDENT] : []),
    ...(found === null ? [] : othersInWords(found, units, confidence)),
  ].join(' ');
  if (suite !== null) {
    const where = suite.tasks === 1 ? 'on this task' : `on these ${inWords(suite.tasks)} tasks`;
    return { sentence: verdict(names, suite, where, unitsOf('md', suite.binary)), how };
  }
  return { sentence: found === null ? [] : verdict(names, found, 'over tasks like these', units), how };
}

function suiteInWords(suite: Suite, units: Units, confidence: number): string[] {
  const shown = writer(suite, units);
  const counts = `${howMany(suite.better, 'instance')} better, ${suite.worse.toLocaleString('en')} worse`;
  if (Number.isNaN(suite.low))
    return [`${capital(howMany(suite.units, 'unit'))} are too few for an interval (${counts}).`];
  const [low, high] = [suite.low, suite.high].map((end) =>
    shown(Math.abs(end) < 1e-6 * (suite.high - suite.low) ? 0 : end),
  );
  const said = [`Between ${low} and ${high}${units.name} (${percent(confidence)}; ${counts}, ${chance(suite.p)}).`];
  if (suite.effect * suite.balance < 0) {
    const [more, less] = suite.balance > 0 ? ['better', 'worse'] : ['worse', 'better'];
    said.push(`More instances got ${more} than ${less}, but on average it is ${less}.`);
  }
  if (suite.low <= 0 && suite.high >= 0)
    said.push(`This comparison would detect ${shown(suite.smallest)}${units.name} with a chance of ${percent(POWER)}.`);
  return said;
}

function othersInWords(found: Pooled, units: Units, confidence: number): string[] {
  if (found.tasks === 1) return ['One task says nothing about other tasks.'];
  if (found.tasks === 2 && found.low <= 0 && found.high >= 0)
    return ['Two tasks say next to nothing about other tasks.'];
  const end = writer(found, units);
  const size = end(Math.abs(found.effect));
  const side = Number(size) === 0 ? '' : found.effect > 0 ? ' better' : ' worse';
  return [
    `On other tasks like these: on average ${size}${units.name}${side}, between ${end(found.low)} and ${end(found.high)} (${percent(confidence)}).`,
    howTasksDiffer(found),
    `On a task nobody has run, expect between ${end(found.newLow)} and ${end(found.newHigh)} (${percent(confidence)}).`,
  ];
}

/** Why the first answer leaves open what the second says: a task that weighs otherwise, as `on_two_answers` of podium. */
export function doubtOfTwo(suite: Suite, found: Pooled, kept: readonly NamedEffect[]): string[] {
  if (found.tasks < 2 || !(suite.low <= 0 && suite.high >= 0) || (found.low <= 0 && found.high >= 0)) return [];
  const even = 1 / found.tasks;
  const moves = kept.map(({ effect }, at) => Math.abs((found.weights[at] - even) * (effect - found.effect)));
  const most = moves.indexOf(Math.max(...moves));
  const rounded = (share: number): string => `${Math.round(100 * share)}%`;
  return [
    `the first answer weighs tasks as rank does, the second by precision: ${beginning(kept[most].name, 20)} counts ${rounded(found.weights[most])} in the second and ${rounded(even)} in the first`,
  ];
}

function beginning(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - 1).trimEnd()}…`;
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
  const all = wins + losses + ties;
  const what = all === found.tasks.length ? 'tasks' : 'families of tasks';
  const name = { text: treatment, strong: true };
  const on = wins === all ? `all ${inWords(all)}` : `${inWords(wins)} of ${inWords(all)}`;
  const lost = [
    ...(losses > 0 ? [`worse on ${inWords(losses)}`] : []),
    ...(ties > 0 ? [`equal on ${inWords(ties)}`] : []),
  ];
  const verdict = found.wilcoxonP < 1 - confidence ? '.' : ', which may be chance.';
  const sentence: Part[] = [
    name,
    { text: ' is better than ' },
    { text: control, strong: true },
    {
      text: ` on ${[`${on} ${what}`, ...lost.slice(0, -1)].join(', ')}${lost.length > 0 ? ` and ${lost[lost.length - 1]}` : ''}${verdict}`,
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
export function doubts(tasks: readonly NamedEffect[], measure: Measure, binary: boolean, alike: boolean): string[] {
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
    measure === 'smd' ? 'scores correlate perfectly on ' : 'all differences are equal on ',
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
  say(
    'lower is better on ',
    kept.filter((one) => !one.higherIsBetter),
    '; effects there change sign, so that positive is better',
  );
  if (kept.some(({ weight }) => weight !== kept[0].weight))
    notes.push('task weights are not used; tasks with a more precise effect count more');
  if (measure === 'md' && !binary) notes.push(...unlikeScales(kept));
  return notes;
}

/** Which tasks are hardly on one scale, by the means of the control; see `unlike_scales` of the library. */
export function unlikeScales(kept: readonly NamedEffect[]): string[] {
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
    return `${beginning(name, 12)}: about ${number}`;
  });
  return [`scales may differ (${first}, ${second}), so a mean misleads; use effect 'smd' (-e smd)`];
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
  if (tasks === 1) return []; // the answer says it
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

/** The first names, and how many more there are. */
export function few(names: readonly string[], most = 5): string {
  const rest = names.length - most;
  return names.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest.toLocaleString('en')} more` : '');
}

export function howMany(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** The command that prints the same numbers. */
export function compareCommand(
  command: string,
  [control, treatment]: readonly [string, string],
  measure: Measure,
  { tasks, weights }: Pick<View, 'tasks' | 'weights'>,
): string {
  const pair = `${command} ${quoted(`--control=${control}`)} ${quoted(`--treatment=${treatment}`)}`;
  return commandOf(measure === 'md' ? pair : `${pair} --effect ${measure}`, { tasks, weights, way: null, out: [] });
}
