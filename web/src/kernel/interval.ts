/** From scores and their replicates to intervals of scores and ranks, and tiers, as `podium.ranking.interval`. */

import { centred, deviations, errorsOfDifferences, row, skewness, type Samples } from './deviation';
import { normalCdf, normalQuantile, studentQuantile, studentTail } from './distribution';
import { both, type Separated } from './few';
import { LEAST_FREEDOM } from './freedom';
import { holmLeft, shafferLeft, significant } from './multiplicity';
import { places } from './place';

/** How many times as far off as Student's an end may be. */
const FURTHEST = 2.5;

/** Degrees of freedom that are enough, to rounding. */
const ENOUGH = LEAST_FREEDOM * (1 - 1e-9);

/** Leads that are no evidence at this confidence need no closer look. */
const CANDIDATE = 0.5;

/** What replicates are known by, and what the intervals promise. */
export interface Asked {
  readonly confidence: number;
  /** What was drawn: instances (or clusters), tasks, or both. */
  readonly units: 'instances' | 'tasks' | 'both';
  /** Degrees of freedom of the standard errors. */
  readonly freedom: number;
  /** Row-major: those of each difference, and of each score on the diagonal, if they are not the same for all. */
  readonly known?: Float64Array;
  /** What another test separates, beside Student's; or instead of it, in pairs of systems that have a 1 here. */
  readonly exact?: Separated;
  readonly instead?: Uint8Array;
  /** Between what scores lie, and whether they are sums over units; nothing is known without it. */
  readonly range?: Range;
  /** Whether scores move smoothly, as sums do, and jump nowhere. */
  readonly smooth?: boolean;
}

export interface Range {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly effectiveUnits: number;
  readonly ofSums: boolean;
}

export interface Intervals {
  readonly stdError: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly rankLow: Int32Array;
  readonly rankHigh: Int32Array;
  readonly jointRankLow: Int32Array;
  readonly jointRankHigh: Int32Array;
  readonly tier: Int32Array;
  /** 1 of each system that no other is better than, one-sided: the best is among them with this confidence. */
  readonly mayBeFirst: Uint8Array;
  /** Row-major systems × systems: 1 where one is surely better than the other, all pairs together; null if not known. */
  readonly better: Uint8Array | null;
}

/** N scores, higher is better and NaN unranked, with the size of differences that are none, and their replicates. */
interface Scored {
  readonly score: Float64Array;
  readonly rounding: Float64Array;
  readonly samples: Samples;
}

interface Centred extends Scored {
  readonly departures: Samples;
}

/** Intervals of scores, from their replicates. */
export function intervals(scored: Scored, asked: Asked): Intervals {
  const { score, samples, rounding } = scored;
  const n = score.length;
  const known = score.map((_, system) => asked.known?.[system * n + system] ?? asked.freedom);
  const departures = centred(samples);
  const stdError = deviations(departures).map((error, system) =>
    known[system] >= ENOUGH && !Number.isNaN(score[system]) ? error : NaN,
  );
  const ends = scoreEnds({ ...scored, departures }, stdError, known, asked);
  const found = separated({ ...scored, departures }, asked);
  const [first, last] = rankIntervals(found.own, score);
  const [jointRankLow, jointRankHigh] = rankIntervals(found.joint, score);
  const better = found.joint.map((differs, pair) => (score[Math.floor(pair / n)] > score[pair % n] ? differs : 0));
  const tier = tiers(better, places(score, rounding));
  const unbeaten = found.beaten.map((beaten, system) => (beaten === 1 || Number.isNaN(score[system]) ? 0 : 1));
  const number = unbeaten.reduce((count, may) => count + may, 0);
  const leads = number === 1 && last[unbeaten.indexOf(1)] > 1; // one-sided; two-sided others may be as good
  const mayBeFirst = leads ? Uint8Array.from(first, (rank) => (rank === 1 ? 1 : 0)) : unbeaten;
  const several = mayBeFirst.reduce((count, may) => count + may, 0) > 1;
  const rankLow = first.map((rank, system) => (mayBeFirst[system] === 1 ? 1 : rank));
  const rankHigh = last.map((rank) => (several && rank === 1 ? 2 : rank)); // nobody is surely first where another may be
  return { stdError, ...ends, rankLow, rankHigh, jointRankLow, jointRankHigh, tier, mayBeFirst, better };
}

/** Student's test; or another one, beside it or instead of it. */
function separated(of: Centred, asked: Asked): Separated {
  const { score } = of;
  const { exact, known, instead } = asked;
  if (exact === undefined) return separatedBy(of, asked);
  if (instead?.every((alone) => alone === 1) !== true) {
    const student = separatedBy(of, asked);
    return both(instead === undefined ? student : orAlone(student, exact, instead, score), exact);
  }
  if (known === undefined) return exact;
  const enough = Uint8Array.from(known, (freedom) => (freedom >= ENOUGH ? 1 : 0));
  const n = score.length;
  const any = Uint8Array.from(score, (_, system) =>
    enough.subarray(system * n, (system + 1) * n).includes(1) ? 1 : 0,
  );
  return both(exact, { joint: enough, own: enough, beaten: any });
}

/** What Student's test separates, with all pairs of which the exact test alone decides. */
function orAlone(student: Separated, exact: Separated, instead: Uint8Array, score: Float64Array): Separated {
  const n = score.length;
  const alone = student.joint.map((_, pair) => instead[Math.floor(pair / n)] & instead[pair % n]);
  const or = (found: Uint8Array): Uint8Array => found.map((value, pair) => value | alone[pair]);
  const beaten = student.beaten.map((value, i) =>
    value === 1 || score.some((other, j) => other > score[i] && (alone[i * n + j] & exact.own[i * n + j]) === 1)
      ? 1
      : 0,
  );
  return { joint: or(student.joint), own: or(student.own), beaten };
}

/** How many standard deviations of replicates an error exceeds with probability α at most. */
function criticalValue(confidence: number, freedom: number, units: Asked['units']): number {
  return -studentQuantile((1 - confidence) / 2, freedom) * stretch(freedom, units);
}

/** By how much replicates vary less than the scores of as many new units. */
function stretch(freedom: number, units: Asked['units']): number {
  return units === 'instances' ? 1 : Math.sqrt((freedom + 1) / freedom);
}

function scoreEnds(
  { score, samples, departures, rounding }: Centred,
  stdError: Float64Array,
  known: Float64Array,
  asked: Asked,
): { low: Float64Array; high: Float64Array } {
  const skewed = skewness(departures);
  const low = new Float64Array(score.length).fill(NaN);
  const high = new Float64Array(score.length).fill(NaN);
  const criticals = new Map<number, number>();
  score.forEach((value, system) => {
    if (Number.isNaN(stdError[system])) return;
    const freedom = known[system];
    const critical = criticals.get(freedom) ?? criticalValue(asked.confidence, freedom, asked.units);
    criticals.set(freedom, critical);
    const error = stdError[system];
    const limits = { low: asked.range?.low[system] ?? -Infinity, high: asked.range?.high[system] ?? Infinity };
    const ends =
      asked.range?.ofSums === true
        ? endsOfSum(value, error, skewed[system], critical, stretch(freedom, asked.units), {
            ...limits,
            unseen: 1 - ((1 - asked.confidence) / 2) ** (1 / asked.range.effectiveUnits),
            constant: error * stretch(freedom, asked.units) <= rounding[system],
          })
        : percentileEnds(value, row(samples, system), error, critical, limits);
    [low[system], high[system]] = ends;
  });
  return { low, high };
}

/** Hall's interval (1992) of a sum, skewed as its units are; without a standard error, Clopper and Pearson's. */
function endsOfSum(
  score: number,
  error: number,
  skewed: number,
  critical: number,
  wider: number,
  limits: { low: number; high: number; unseen: number; constant: boolean },
): [number, number] {
  const { unseen, constant } = limits;
  const t = critical / wider; // the stretch is in the critical value, but Hall's formula wants it in the error
  const below = wider * error * Math.min(untransformed(t, skewed), FURTHEST * t);
  const above = wider * error * Math.max(untransformed(-t, skewed), -FURTHEST * t);
  const low = constant ? score - unseen * (score - limits.low) : score - below;
  const high = constant ? score + unseen * (limits.high - score) : score - above;
  return [clip(low, limits.low, score), clip(high, score, limits.high)];
}

/** g⁻¹(z) = 3/k (∛(1 + k (z − k/6)) − 1), without digits that cancel. */
function untransformed(z: number, k: number): number {
  const moved = z - k / 6;
  const root = Math.cbrt(1 + k * moved);
  return (3 * moved) / (root * root + root + 1);
}

/** Expanded percentile interval (Hesterberg 2015, §4.1); an interval without length reaches enough errors. */
function percentileEnds(
  score: number,
  samples: Float64Array,
  error: number,
  critical: number,
  limits: { low: number; high: number },
): [number, number] {
  const tail = normalCdf(-critical);
  const sorted = Float64Array.from(samples).sort();
  const beyond = tail * samples.length < 1; // further out than the replicates reach
  const lowest = Math.min(quantile(sorted, tail), score, beyond ? score - critical * error : Infinity);
  const highest = Math.max(quantile(sorted, 1 - tail), score, beyond ? score + critical * error : -Infinity);
  const low = Math.max(lowest, limits.low);
  const high = Math.min(highest, limits.high);
  const reach = low < high ? 0 : critical * error;
  return [Math.max(low - reach, limits.low), Math.min(high + reach, limits.high)];
}

/** The share q lies at place q (B + 1) of the ordered replicates (Davison & Hinkley 1997, §5.2.1). */
function quantile(sorted: Float64Array, share: number): number {
  const place = clip(share * (sorted.length + 1) - 1, 0, sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

function clip(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/**
 * Separate pairs by Student's test: the pairs of a system stepwise after Holm, and all pairs after Shaffer; what is
 * better than a system, one-sided, by the first step of Holm.
 */
export function byStudent(scored: Scored, asked: Asked): Separated {
  return separatedBy({ ...scored, departures: centred(scored.samples) }, asked);
}

function separatedBy(of: Centred, asked: Asked): Separated {
  const { score } = of;
  const n = score.length;
  const { values, needed } = evidenceOf(leads(of, asked), asked);
  const ranked = Array.from(score.keys()).filter((system) => !Number.isNaN(score[system]));
  const pairs = new Float64Array((ranked.length * (ranked.length - 1)) / 2);
  let pair = 0;
  for (let at = 0; at < ranked.length; at += 1)
    for (let below = at + 1; below < ranked.length; below += 1) pairs[pair++] = values[ranked[at] * n + ranked[below]];
  const forAll = significant(pairs, shafferLeft(ranked.length), needed);
  const found = { joint: new Uint8Array(n * n), own: new Uint8Array(n * n), beaten: new Uint8Array(n) };
  const against = new Float64Array(Math.max(ranked.length - 1, 0));
  const oneSided = needed(against.length / 2);
  for (const one of ranked) {
    let at = 0;
    for (const other of ranked) if (other !== one) against[at++] = values[one * n + other];
    const forOwn = significant(against, holmLeft(against.length), needed);
    for (const other of ranked) {
      const own = values[one * n + other];
      if (other === one || own === 0) continue;
      found.own[one * n + other] = own >= forOwn ? 1 : 0;
      found.joint[one * n + other] = own >= forAll ? 1 : 0;
      if (score[other] > score[one] && own >= oneSided) found.beaten[one] = 1;
    }
  }
  return found;
}

/** What speaks against the equality of two systems, and how much of it m comparisons need. */
interface Evidence {
  /** Row-major systems × systems, 0 where there is none; grows as the p-value falls. */
  readonly values: Float64Array;
  readonly needed: (comparisons: number) => number;
}

/** Student's t if all pairs have the same degrees of freedom; otherwise 1 / p. */
function evidenceOf(t: Float64Array, { confidence, freedom, known }: Asked): Evidence {
  const alpha = 1 - confidence;
  if (known === undefined)
    return { values: t, needed: remembered((comparisons) => -studentQuantile(alpha / 2 / comparisons, freedom)) };
  const systems = Math.sqrt(t.length);
  const weak = -normalQuantile(alpha); // of less, p is above 2α by any degrees of freedom, and of no use
  const values = new Float64Array(t.length);
  for (let one = 0; one < systems; one += 1) {
    for (let other = one + 1; other < systems; other += 1) {
      const pair = one * systems + other;
      if (t[pair] < weak || known[pair] < ENOUGH) continue;
      values[pair] = values[other * systems + one] = 1 / Math.min(2 * studentTail(t[pair], known[pair]), 1);
    }
  }
  return { values, needed: (comparisons) => (comparisons / alpha) * (1 - 1e-15) };
}

/** The function, which takes each number once. */
function remembered(compute: (of: number) => number): (of: number) => number {
  const known = new Map<number, number>();
  return (of) => {
    let found = known.get(of);
    if (found === undefined) known.set(of, (found = compute(of)));
    return found;
  };
}

/**
 * Row-major systems × systems: leads in standard errors, the same for both of a pair; 0 where there is none.
 *
 * Of scores that are no sums over units at most Φ⁻¹(1 − r), r being the share of replicates that reverse a lead: it
 * matters where a score jumps.
 */
function leads({ score, samples, departures, rounding }: Centred, asked: Asked): Float64Array {
  const n = score.length;
  const { known, freedom, units } = asked;
  const errors = errorsOfDifferences(departures);
  const t = new Float64Array(n * n);
  const look = criticalValue(CANDIDATE, known?.reduce((most, one) => Math.max(most, one), 0) ?? freedom, units);
  const jumps = asked.range?.ofSums !== true && asked.smooth !== true;
  for (let ahead = 0; ahead < n; ahead += 1) {
    for (let behind = 0; behind < n; behind += 1) {
      const lead = score[ahead] - score[behind];
      const near = Math.max(rounding[ahead], rounding[behind]);
      const error = errors[ahead * n + behind];
      if (!(lead > near) || Number.isNaN(error)) continue;
      let size = error > near ? lead / error : Infinity;
      if (jumps && size > look) size = Math.min(size, ofReversals(row(samples, ahead), row(samples, behind), near));
      size /= stretch(known?.[ahead * n + behind] ?? freedom, units);
      t[ahead * n + behind] = t[behind * n + ahead] = size;
    }
  }
  return t;
}

const quantiles = new Map<number, number>();

/** Φ⁻¹(1 − r), r being the share of replicates in which a lead is none. */
function ofReversals(ahead: Float64Array, behind: Float64Array, near: number): number {
  let reversed = 0;
  for (let replicate = 0; replicate < ahead.length; replicate += 1)
    if (ahead[replicate] - behind[replicate] <= near) reversed += 1;
  const share = reversed / (ahead.length + 1);
  let known = quantiles.get(share);
  if (known === undefined) quantiles.set(share, (known = -normalQuantile(share)));
  return known;
}

/** Best and worst rank of every system, by its own row of what differs; 0 of the unranked. */
function rankIntervals(differs: Uint8Array, score: Float64Array): [Int32Array, Int32Array] {
  const n = score.length;
  const low = new Int32Array(n);
  const high = new Int32Array(n);
  const ranked = score.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0);
  score.forEach((value, system) => {
    if (Number.isNaN(value)) return;
    low[system] = 1;
    high[system] = ranked;
    for (let other = 0; other < n; other += 1) {
      if (score[other] > value) low[system] += differs[system * n + other];
      if (score[other] < value) high[system] -= differs[system * n + other];
    }
  });
  return [low, high];
}

/**
 * Number of the tier of every system, 1 is best; 0 of the unranked.
 *
 * Going down the ranking, a tier ends where each system above is better than each below.
 */
export function tiers(better: Uint8Array, place: Int32Array): Int32Array {
  const n = place.length;
  const tier = new Int32Array(n);
  const order = Array.from(place.keys())
    .filter((system) => place[system] >= 0)
    .sort((one, other) => place[one] - place[other]);
  let current = 1;
  let last = 0; // the last that some system so far is not better than
  order.forEach((system, at) => {
    if (at > last) current += 1;
    tier[system] = current;
    let reach = order.length - 1;
    while (better[system * n + order[reach]] === 1) reach -= 1;
    last = Math.max(last, reach);
  });
  return tier;
}
