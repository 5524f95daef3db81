/** How sure a ranking is by any way and weights, as `podium.ranking.uncertainty`. */

import { isStrength, strengthSamples, strengthStanding } from './bradley-terry';
import { FEW_UNITS, flipped, FLIPPED_UNITS, type Separated } from './few';
import { effectiveNumber, freedomOfPairs, freedomOfTasks, freedomOfUnits, LEAST_FREEDOM, sumsBy } from './freedom';
import { type Asked, byStudent, type Intervals, intervals, type Range } from './interval';
import { ranked, samplesOf } from './replicate';
import { type Standing, standingBy } from './standing';
import type { DrawnInstances, DrawnTasks, Tallies } from './tallies';
import { addedByTasks, addedByUnits, basisOf, componentsOf, numberOfUnits, unitsBy, withLone } from './unit';
import { addsUp, byBallots, redrawn, type Redrawn, said, type Units, type Way } from './way';

/** Share of replicates that may draw nothing that weighs; where more do, the others are no fair sample. */
const LOST_AT_MOST = 0.02;

/** Scores up to which it is seen how many units carry a difference, and below how many of these nothing is known. */
const LOOKED_AT = 2 ** 18;
const LEAST_CARRYING = 4;

/** Units that are flipped at most, where few of them have most of the weight. */
const FLIPPED_AT_MOST = 20_000;

/**
 * Why there are no intervals, or others than those of the command: few units need an exact test, of which the page does
 * not hold each by itself, so that there are none ("units"), or those of Student's test ("student"); or a single task of
 * one unit shows no spread ("alone"); or too many replicates have no strengths ("lost").
 */
export type Doubt = 'units' | 'student' | 'alone' | 'lost' | null;

/** Intervals of a ranking; null where the page does not hold what they need, or where it is too little. */
export interface Sureness {
  readonly intervals: Intervals | null;
  readonly doubt: Doubt;
}

const NONE: Sureness = { intervals: null, doubt: null };

/** What is asked, and by how much it is known. */
interface Question {
  readonly tallies: Tallies;
  readonly varying: DrawnTasks | DrawnInstances;
  readonly way: Way;
  readonly units: Units;
  readonly weights: Float64Array;
  /** Those of tasks with scores; and what these weigh on the ballots of the way, and of its basis. */
  readonly telling: Float64Array;
  readonly counted: Float64Array;
  readonly freedom: number;
  /** Degrees of freedom of each pair, if they are known. */
  readonly pairs: Float64Array | null;
}

/** Say how sure a ranking is. */
export function surenessOf(tallies: Tallies, way: Way, weights: Float64Array, standing: Standing): Sureness {
  const { varying, confidence, scored, instances } = tallies;
  const units = unitsBy(tallies, weights);
  const again = redrawn(tallies, way, units);
  if (varying === null || again === null) return NONE;
  const telling = weights.map((weight, task) => (scored[task] ? weight : 0));
  const counted = byBallots(way) ? telling.map((weight, task) => weight * (instances?.ballots[task] ?? 1)) : telling;
  const freedom = freedomOf(varying, units, counted);
  if (freedom < LEAST_FREEDOM) return { intervals: null, doubt: standsAlone(varying, units, telling) ? 'alone' : null };
  const question = { tallies, varying, way, units, weights, telling, counted, freedom };
  const asked = { ...question, pairs: pairsOf(question) };
  const samples = samplesBy(asked, way, again, standing);
  if (samples === null) return { intervals: null, doubt: isStrength(way) ? 'lost' : null };
  const second = secondTest(asked);
  if (second === null) return { intervals: null, doubt: 'units' };
  const known = knownOf(asked);
  const made = intervals(
    { ...standing, samples },
    {
      confidence,
      units,
      freedom,
      range: rangeOf(tallies, way, units, telling, freedom + 1),
      ...(known === null ? {} : { known }),
      ...(second.instead === undefined ? {} : { instead: second.instead }),
      ...(second.exact === undefined ? {} : { exact: second.exact }),
    },
  );
  return { intervals: made, doubt: second.doubt };
}

function freedomOf(varying: DrawnTasks | DrawnInstances, units: Units, weights: Float64Array): number {
  if (units === 'tasks' || varying.units === 'tasks') return freedomOfTasks(weights, varying.families);
  return freedomOfUnits(weights, componentsOf(varying, weights), varying);
}

/** Whether a single task of one unit, or family of such tasks, stands beside others. */
function standsAlone({ lone, families }: DrawnTasks | DrawnInstances, units: Units, weights: Float64Array): boolean {
  const alone = weights.map((weight, task) => (lone[task] ? weight : 0));
  return units === 'instances' && sumsBy(alone, families).size === 1;
}

function pairsOf(asked: Omit<Question, 'pairs'>): Float64Array | null {
  const { tallies, varying, way, units, telling, counted, freedom } = asked;
  if (units === 'tasks' || varying.units === 'tasks') return null;
  const basis = basisOf(tallies, way, units);
  const components = componentsOf(varying, telling);
  const pairs = freedomOfPairs(tallies, varying, components, basis, counted, freedom);
  if (pairs === null || numberOfUnits(components) <= FLIPPED_UNITS || !isLookedAt(tallies)) return pairs;
  const added = addedByUnits(tallies, components, basis, counted);
  return added === null ? pairs : carried(pairs, added, tallies.systems);
}

/** Whether the table is small enough to see how many units carry a difference. */
function isLookedAt({ systems, instances }: Tallies): boolean {
  return systems * (instances?.sizes ?? []).reduce((sum, size) => sum + size, 0) <= LOOKED_AT;
}

/** Degrees of freedom of each pair, at most those of the units that carry its difference: (Σ d²)² / Σ d⁴ less 1. */
function carried(pairs: Float64Array, added: Float64Array, systems: number): Float64Array {
  const found = Float64Array.from(pairs);
  for (let one = 0; one < systems; one += 1)
    for (let other = one + 1; other < systems; other += 1) {
      let [second, fourth] = [0, 0];
      for (let from = 0; from < added.length; from += systems) {
        const square = (added[from + one] - added[from + other]) ** 2;
        second += square;
        fourth += square * square;
      }
      const [pair, number] = [one * systems + other, fourth > 0 ? second ** 2 / fourth : Infinity];
      if (number >= FEW_UNITS) continue;
      found[pair] = number < LEAST_CARRYING ? 0 : Math.min(found[pair], number - 1);
      found[other * systems + one] = found[pair];
    }
  return found;
}

/** Scores in replicates that can be ranked; null where too many cannot. */
function samplesBy(
  { tallies, varying, units, weights, counted }: Question,
  way: Way,
  again: Redrawn,
  standing: Standing,
): ReturnType<typeof ranked> | null {
  const drawn = units === 'instances' ? withLone(again, varying, counted) : again;
  const all =
    tallies.battles !== null && isStrength(way)
      ? strengthSamples(tallies, tallies.battles, way, weights, standing, drawn)
      : samplesOf(said(tallies, way), drawn, weights);
  const samples = ranked(all);
  return all.replicates - samples.replicates > LOST_AT_MOST * all.replicates ? null : samples;
}

/**
 * What separates pairs beside Student's test, or instead of it: of few units flips; where scores jump the test of
 * shares, which do not. Null where that is not known.
 */
function secondTest(asked: Question): { exact?: Separated; instead?: Uint8Array; doubt: Doubt } | null {
  const { tallies, varying, way, units, weights, counted, freedom, pairs } = asked;
  const { systems, confidence } = tallies;
  const basis = basisOf(tallies, way, units);
  const smooth = addsUp(tallies, way, units);
  const tasks = units === 'tasks' || varying.units === 'tasks';
  const components = tasks ? [] : componentsOf(varying, counted);
  const number = tasks ? sumsBy(counted, varying.families).size : numberOfUnits(components);
  const few =
    number <= FLIPPED_UNITS ||
    (number <= FLIPPED_AT_MOST && pairs !== null && median(ofPairs(pairs, systems)) + 1 <= FEW_UNITS);
  if (few) {
    const added = tasks
      ? addedByTasks(tallies, varying, basis, counted)
      : addedByUnits(tallies, components, basis, counted);
    if (added !== null) {
      const exact = flipped(added, systems, 1 - confidence, varying.flips);
      return { exact, ...(smooth ? { instead: scoredByAll(asked) } : {}), doubt: null };
    }
    if (number <= FEW_UNITS) return null;
  }
  const doubt = few ? 'student' : null;
  if (smooth || isStrength(way)) return { doubt };
  const again = redrawn(tallies, basis, units);
  const standing = standingBy(said(tallies, basis), weights);
  const samples = again === null ? null : samplesBy(asked, basis, again, standing);
  if (samples === null) return null;
  const how: Asked = { confidence, units, freedom, smooth: true };
  return { exact: byStudent({ ...standing, samples }, how), doubt };
}

/** 1 of each system that flips alone separate: not of one whose mean leaves out a task, or family, that is drawn. */
function scoredByAll({ tallies, varying, way, units, counted }: Question): Uint8Array {
  const { systems, tasks, means } = tallies;
  const all = new Uint8Array(systems).fill(1);
  if (way !== 'mean' || units !== 'tasks') return all;
  const families = sumsBy(counted, varying.families).size;
  return all.map((_, system) => {
    const there = counted.map((weight, task) => (Number.isNaN(means[system * tasks + task]) ? 0 : weight));
    return sumsBy(there, varying.families).size === families ? 1 : 0;
  });
}

/** Numbers of pairs, each once. */
function ofPairs(values: Float64Array, systems: number): Float64Array {
  return values.filter((_, at) => at % systems > Math.floor(at / systems));
}

function median(values: Float64Array): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Row-major: degrees of freedom of each pair, and of each system; null where they are the same for all. */
function knownOf({ tallies, varying, way, units, telling, freedom, pairs }: Question): Float64Array | null {
  const own = way === 'mean' || isStrength(way) ? ownFreedom(tallies, varying, units, telling) : null;
  if (own === null || (pairs === null && own.every((one) => one >= freedom))) return pairs;
  const { systems } = tallies;
  return Float64Array.from({ length: systems * systems }, (_, pair) =>
    Math.min(pairs?.[pair] ?? freedom, own[Math.floor(pair / systems)], own[pair % systems]),
  );
}

/** By how many units that score it each system is known, less 1; of families by what they weigh, (Σ w)² / Σ w². */
function ownFreedom(
  { systems, tasks, means, instances }: Tallies,
  { families }: DrawnTasks | DrawnInstances,
  units: Units,
  weights: Float64Array,
): Float64Array {
  return Float64Array.from({ length: systems }, (_, system) => {
    const sets = new Map<number, number>();
    for (let task = 0; task < tasks; task += 1) {
      const cell = system * tasks + task;
      if (weights[task] === 0 || Number.isNaN(means[cell])) continue;
      const set = units === 'tasks' ? families[task] : (instances?.sets[task] ?? task);
      const before = sets.get(set) ?? 0;
      sets.set(set, units === 'tasks' ? before + weights[task] : Math.max(before, instances?.units[cell] ?? 1));
    }
    if (units === 'tasks') return Number(effectiveNumber(sets.values()).toFixed(9)) - 1; // of six like families it is 5
    return [...sets.values()].reduce((sum, number) => sum + number, 0) - 1;
  });
}

/** Between what scores lie: shares between 0 and 1, means between the lowest and the highest scores of tasks. */
function rangeOf(tallies: Tallies, way: Way, units: Units, weights: Float64Array, effectiveUnits: number): Range {
  const { systems, tasks, means, instances } = tallies;
  const ofSums = addsUp(tallies, way, units);
  const [low, high] = [new Float64Array(systems), new Float64Array(systems).fill(1)];
  if (isStrength(way)) return { low: low.fill(-Infinity), high: high.fill(Infinity), effectiveUnits, ofSums };
  if (way !== 'mean') return { low, high, effectiveUnits, ofSums };
  if (units === 'tasks' || instances === null) {
    [low, high].forEach((end) => end.fill(NaN));
    means.forEach((mean, at) => {
      const task = at % tasks;
      if (Number.isNaN(mean) || weights[task] === 0) return;
      const [least, most] = instances?.ends[task] ?? [mean, mean];
      if (!(low[0] <= least)) low.fill(least);
      if (!(high[0] >= most)) high.fill(most);
    });
    return { low, high, effectiveUnits, ofSums };
  }
  const ends = [0, 1].map((end) => {
    const values = means.map((mean, at) => (Number.isNaN(mean) ? NaN : (instances.ends[at % tasks]?.[end] ?? NaN)));
    return standingBy({ systems, tasks, values, ballots: null, scale: null }, weights).score;
  });
  return { low: ends[0], high: ends[1], effectiveUnits, ofSums };
}

export interface Ranking extends Standing, Sureness {}

/** Scores and ranks by a way and weights of tasks. */
export function standingOf(tallies: Tallies, way: Way, weights: Float64Array): Standing {
  if (tallies.battles !== null && isStrength(way)) return strengthStanding(tallies, tallies.battles, way, weights);
  return standingBy(said(tallies, way), weights);
}

/** The same, and how sure that is. */
export function rankBy(tallies: Tallies, way: Way, weights: Float64Array): Ranking {
  const standing = standingOf(tallies, way, weights);
  return { ...standing, ...surenessOf(tallies, way, weights, standing) };
}
