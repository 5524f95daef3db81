/** Which weights, nearest to given ones, put a system where, by linear programs; and under how many each is first. */

import { solve } from 'yalps';
import { draws } from './draw';
import { rankByShares, type Shares } from './standing';

/** By how much who shall be ahead leads: as far as a score is shown; if that cannot be, by more than the solver rounds. */
const LEADS = [1e-3, 1e-6, 0];

/** Constraints that are added in a round. */
const ADDED = 16;

/** As the solver rounds. */
const PRECISION = 1e-8;

/** A lead over this is one: of the solver's digits, and of proofs. */
const SURE = 1e-7;

/** By how much the right one is ahead of each rival, on each task. */
export type Leads = readonly Float64Array[];

/** Whether it is proven that no weights put a system first, not even beside another. */
export function neverFirst(board: Shares, system: number): boolean {
  return impossible(leadsOver(board, system, others(board, system)));
}

/** Where a system shall go. */
export interface Wish {
  readonly system: number;
  /** 1 for the first. */
  readonly rank: number;
}

export type Found =
  | { readonly weights: number[]; /** Share of all weight that moves to other tasks. */ readonly moved: number }
  /** Whether it is proven that there are none; otherwise others can at best be level. */
  | { readonly weights: null; readonly proven: boolean };

/**
 * The weights nearest to `weights` under which a system has a rank.
 *
 * Upwards, it is at least as good as all but the `rank` − 1 others that are first now; downwards, these are at least as
 * good as it. Weights keep their sum, and the distance is half of Σ |w − w₀| / Σ w₀: the share of all weight that moves
 * from some tasks to others. The answer is ranked before it is given.
 */
export function nearestWeights(board: Shares, weights: readonly number[], { system, rank }: Wish): Found {
  const { up, leads } = asked(board, weights, { system, rank });
  const wanted = (tried: readonly number[]): boolean => {
    const got = rankBy(board, tried).rank[system];
    return up ? got > 0 && got <= rank : got >= rank;
  };
  for (const lead of LEADS) {
    const found = leastChanges(leads, weights, lead);
    const made = found === null ? null : roundest(weights, found, wanted);
    if (made !== null) return { weights: made, moved: distance(weights, made) };
  }
  return { weights: null, proven: impossible(leads) };
}

/** Who shall be ahead of whom. */
export function asked(
  board: Shares,
  weights: readonly number[],
  { system, rank }: Wish,
): { readonly up: boolean; readonly leads: Leads } {
  const now = rankBy(board, weights);
  const best = others(board, system).sort((one, other) => now.score[other] - now.score[one] || one - other);
  if (rank <= now.rank[system]) return { up: true, leads: leadsOver(board, system, best.slice(rank - 1)) };
  const over = leadsOver(board, system, best.slice(0, rank - 1));
  return { up: false, leads: over.map((row) => row.map((value) => -value)) };
}

function rankBy(board: Shares, weights: readonly number[]): { score: Float64Array; rank: Int32Array } {
  return rankByShares(board, Float64Array.from(weights));
}

function others({ systems }: Shares, system: number): number[] {
  return Array.from({ length: systems }, (_, other) => other).filter((other) => other !== system);
}

/** Without rivals that are the same on every task, who share every rank. */
function leadsOver({ tasks, shares }: Shares, system: number, rivals: readonly number[]): Leads {
  const row = (of: number): Float64Array => shares.subarray(of * tasks, (of + 1) * tasks);
  const own = row(system);
  const leads = rivals.map((rival) => own.map((share, task) => share - row(rival)[task]));
  return leads.filter((lead) => lead.some((value) => value !== 0));
}

/**
 * Whether a mixture of rivals is better on every task, so that no weights help; the mixture is checked as it is.
 *
 * The mixture is that of a matrix game (tasks against rivals): of payoffs M > 0, y ≥ 0 with M y ≤ 1 and the largest sum,
 * divided by this sum (Chvátal 1983, ch. 15). Tasks come in as they are needed.
 */
function impossible(leads: Leads): boolean {
  if (leads.length === 0) return false;
  const worst = Array.from(leads[0], (_, task) => leads.reduce((least, lead) => Math.min(least, lead[task]), Infinity));
  const used = largest(worst, ADDED);
  if (worst[used[0]] >= 0) return false;
  for (;;) {
    const mixture = mixtureAgainst(used, leads);
    if (mixture === null) return false;
    const payoff = worst.map((_, task) => mixture.reduce((sum, [rival, share]) => sum + share * leads[rival][task], 0));
    if (Math.max(...payoff) < -SURE) return true;
    const added = largest(payoff, ADDED).filter((task) => !used.includes(task) && payoff[task] >= -SURE);
    if (added.length === 0) return false;
    used.push(...added);
  }
}

/** Shares of rivals that hold down the lead on some tasks as far as can be; null where that is no harm. */
function mixtureAgainst(used: readonly number[], leads: Leads): [number, number][] | null {
  const solution = solve<number, number>(
    {
      direction: 'maximize',
      objective: -1,
      constraints: used.map((task) => [task, { max: 1 }]),
      variables: leads.map((lead, rival) => [
        rival,
        [[-1, 1], ...used.map((task): [number, number] => [task, lead[task] + 2])],
      ]),
    },
    { precision: PRECISION },
  );
  if (solution.status !== 'optimal') return null;
  const sum = solution.variables.reduce((total, [, value]) => total + value, 0);
  return 1 / sum - 2 >= -SURE ? null : solution.variables.map(([rival, value]) => [rival, value / sum]);
}

/** Indices of the largest numbers, the largest first. */
function largest(values: readonly number[], number: number): number[] {
  return Array.from(values.keys())
    .sort((one, other) => values[other] - values[one])
    .slice(0, number);
}

/**
 * Changes of the weights, in shares of all weight, that are smallest in sum and give every rival's lead; null where the
 * solver finds none. Leads and bounds come in as they are broken: the smallest change that breaks none is the answer.
 */
export function leastChanges(leads: Leads, weights: readonly number[], lead: number): Float64Array | null {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const now = Float64Array.from(weights, (weight) => weight / whole);
  const [used, bounded] = [new Set<number>(), new Set<number>()];
  for (;;) {
    const changes = smallestChanges(leads, now, lead, used, bounded);
    if (changes === null) return null;
    const then = now.map((weight, task) => weight + changes[task]);
    const open = Array.from(then.keys()).filter((task) => then[task] < -PRECISION && !bounded.has(task));
    const short = leads.map((row) => lead - product(row, then));
    const behind = largest(short, ADDED).filter((rival) => short[rival] > PRECISION && !used.has(rival));
    if (behind.length + open.length === 0) return changes;
    behind.forEach((rival) => used.add(rival));
    open.forEach((task) => bounded.add(task));
  }
}

function product(one: Float64Array, other: Float64Array): number {
  return one.reduce((sum, value, at) => sum + value * other[at], 0);
}

/** The linear program: each change is a rise less a fall. */
function smallestChanges(
  leads: Leads,
  now: Float64Array,
  lead: number,
  used: ReadonlySet<number>,
  bounded: ReadonlySet<number>,
): Float64Array | null {
  const [objective, balance, bound] = ['all', 'sum', (task: number): string => `bound ${task}`];
  const tasks = now.length;
  const variables = Array.from({ length: 2 * tasks }, (_, at): [number, [string, number][]] => {
    const [task, sign] = at < tasks ? [at, 1] : [at - tasks, -1];
    const given = Array.from(used, (rival): [string, number] => [`${rival}`, sign * leads[rival][task]]);
    const ends: [string, number][] = bounded.has(task) ? [[bound(task), -sign]] : [];
    return [at, [[objective, 1], [balance, sign], ...given, ...ends]];
  });
  const constraints: [string, { min?: number; equal?: number; max?: number }][] = [
    [balance, { equal: 0 }],
    ...Array.from(used, (rival) => [`${rival}`, { min: lead - product(leads[rival], now) }] as [string, object]),
    ...Array.from(bounded, (task) => [bound(task), { max: now[task] }] as [string, object]),
  ];
  const solution = solve<number>(
    { direction: 'minimize', objective, constraints, variables },
    { precision: PRECISION },
  );
  if (solution.status !== 'optimal') return null;
  const changes = new Float64Array(tasks);
  for (const [at, size] of solution.variables) changes[at % tasks] += at < tasks ? size : -size;
  return changes;
}

/** Weights with as few digits as do what is wanted; null where even all digits do not. */
function roundest(
  weights: readonly number[],
  changes: Float64Array,
  wanted: (weights: readonly number[]) => boolean,
): number[] | null {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  for (const digits of [3, 4, 5, 6, 8, 10, 15]) {
    const tried = weights.map((weight, task) =>
      changes[task] === 0 ? weight : rounded(weight + whole * changes[task], digits, whole),
    );
    if (wanted(tried)) return tried;
  }
  return null;
}

function rounded(weight: number, digits: number, whole: number): number {
  return weight < SURE * whole ? 0 : Number(weight.toPrecision(digits));
}

/** Half of what weights differ by, as shares of all weight. */
export function distance(one: readonly number[], other: readonly number[]): number {
  const [whole, all] = [one, other].map((weights) => weights.reduce((sum, weight) => sum + weight, 0));
  return one.reduce((sum, weight, task) => sum + Math.abs(weight / whole - other[task] / all), 0) / 2;
}

/** Weightings drawn: a share is then known to half a percent (its standard error is at most 1 / 2√DRAWS). */
export const DRAWS = 10_000;

/** Weightings drawn at once, so that a worker can answer in between. */
export const PIECE = 100;

/** Shares of more systems and tasks than this need too many linear programs; only systems that one other beats are then known. */
const PROVEN_CELLS = 200_000;

/** As in `podium.customization.weight.lead_shares`. */
const REACH = 1e-12;

/** Any key; it makes the answer the same each time. */
const KEY = '706f6469756d2070';

/**
 * Share of all weightings, each as likely as any other, that put a system first; ties are shared. NaN where a linear
 * program proves that none does. Comes piece by piece: what is yielded are shares of the weightings drawn so far, where
 * 0 says nothing yet.
 */
export function* firstShares(board: Shares): Generator<Float64Array, Float64Array> {
  const rows = undominated(board);
  const shares = new Float64Array(board.systems);
  const next = draws(KEY);
  for (let drawn = 0; drawn < DRAWS; drawn += PIECE) {
    count(board, rows, next, shares);
    yield shares.map((share) => (share * DRAWS) / (drawn + PIECE));
  }
  const provable = board.systems * board.tasks <= PROVEN_CELLS;
  const alive = new Set(rows);
  for (let system = 0; system < board.systems; system += 1) {
    if (shares[system] > 0) continue;
    if (!alive.has(system) || (provable && neverFirst(board, system))) shares[system] = NaN;
    yield shares;
  }
  return shares;
}

/** Add what some draws say. Exponential draws, divided by their sum, are uniform on the simplex; the sum cancels. */
function count(board: Shares, rows: readonly number[], next: () => number, into: Float64Array): void {
  const { tasks, shares } = board;
  const weights = new Float64Array(tasks);
  const scores = new Float64Array(rows.length);
  for (let draw = 0; draw < PIECE; draw += 1) {
    for (let task = 0; task < tasks; task += 1) weights[task] = -Math.log((next() + 0.5) / 2 ** 32);
    let best = -Infinity;
    rows.forEach((system, at) => {
      const from = system * tasks;
      let score = 0;
      for (let task = 0; task < tasks; task += 1) score += weights[task] * shares[from + task];
      scores[at] = score;
      best = Math.max(best, score);
    });
    const least = best - REACH * Math.max(Math.abs(best), 1);
    const first = rows.filter((_, at) => scores[at] >= least);
    for (const system of first) into[system] += 1 / (first.length * DRAWS);
  }
}

/** Systems that no other beats on every task. */
function undominated(board: Shares): number[] {
  return Array.from({ length: board.systems }, (_, system) => system).filter(
    (system) => beatenEverywhereBy(board, system) < 0,
  );
}

/** A system that beats this one on every task; −1 where none does. */
export function beatenEverywhereBy({ systems, tasks, shares }: Shares, system: number): number {
  for (let other = 0; other < systems; other += 1) {
    let task = 0;
    while (task < tasks && shares[other * tasks + task] > shares[system * tasks + task]) task += 1;
    if (task === tasks) return other;
  }
  return -1;
}
