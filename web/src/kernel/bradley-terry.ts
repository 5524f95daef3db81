/** Strengths of systems from their battles, as `podium.ranking.method.bradley_terry`: Davidson's model of wins and ties. */

import type { Samples } from './deviation';
import { competitionRanks, places } from './place';
import type { Standing } from './standing';
import type { Battles, Tallies } from './tallies';

/** Ways to rank by strengths; with a prior each system has a virtual battle more, half won, against one more system. */
export const STRENGTHS = ['bradley-terry', 'bradley-terry-prior'] as const;

export function isStrength(way: string): way is (typeof STRENGTHS)[number] {
  return STRENGTHS.some((own) => own === way);
}

/** Strengths this near to each other tie. */
const EQUAL = 1e-9;

/** Newton steps before giving up; and the share of their size to which the pulls on every parameter cancel. */
const STEPS = 200;
const BALANCE = 1e-12;

/** Battles of all tasks by weight: row-major systems × systems; ties stand there twice. */
interface Duels {
  readonly systems: number;
  readonly wins: Float64Array;
  readonly ties: Float64Array;
}

/** The battles that count by some weights of tasks; of a replicate by what is drawn of each, and of its task. */
export function duelsOf(
  { systems, tasks }: Pick<Tallies, 'systems' | 'tasks'>,
  { cells, numbers, drawn }: Battles,
  weights: ArrayLike<number>,
  replicate?: { readonly at: number; readonly of: number; readonly factors: ArrayLike<number> },
): Duels {
  const [wins, ties] = [new Float64Array(systems * systems), new Float64Array(systems * systems)];
  const factors = Float64Array.from({ length: tasks }, (_, task) =>
    replicate === undefined ? weights[task] : weights[task] * replicate.factors[task * replicate.of + replicate.at],
  );
  for (let duel = 0; duel < numbers.length; duel += 1) {
    const [one, other] = [cells[4 * duel + 1], cells[4 * duel + 2]];
    const times = replicate === undefined ? numbers[duel] : (drawn?.[duel * replicate.of + replicate.at] ?? NaN);
    const weight = factors[cells[4 * duel]] * times;
    if (cells[4 * duel + 3] === 0) wins[one * systems + other] += weight;
    else {
      ties[one * systems + other] += weight;
      ties[other * systems + one] += weight;
    }
  }
  return { systems, wins, ties };
}

/** Whether there are strengths: all systems reach each other by wins and ties, and some tie parameter fits best. */
function hasStrengths(duels: Duels): boolean {
  const { systems, ties } = duels;
  const connected = [true, false].every((up) => !reached(duels, 0, up).includes(0));
  return connected && (systems === 1 || !ties.some((tied) => tied > 0) || outweighed(duels));
}

/**
 * Systems that never lose to or tie with the others, directly or by others in between; all of them if no tie parameter
 * fits best; null if there are strengths.
 */
export function unbeaten(duels: Duels): readonly number[] | null {
  if (hasStrengths(duels)) return null;
  const all = Array.from({ length: duels.systems }, (_, system) => system);
  const above = all.map((start) => all.filter((system) => reached(duels, start, true)[system] === 1));
  return above.reduce((fewest, own) => (own.length < fewest.length ? own : fewest), all);
}

/** 1 of each system that a system reaches: by those that it beat or tied with, or up by those that beat or tied with it. */
function reached({ systems, wins, ties }: Duels, start: number, up: boolean): Uint8Array {
  const found = new Uint8Array(systems);
  found[start] = 1;
  const list = [start];
  for (const one of list)
    for (let other = 0; other < systems; other += 1) {
      const at = up ? other * systems + one : one * systems + other;
      if (found[other] === 1 || wins[at] + ties[at] <= 0) continue;
      found[other] = 1;
      list.push(other);
    }
  return found;
}

/** Whether a cycle has more wins than ties: heights, up for a win and down for a tie, never settle. */
function outweighed({ systems, wins, ties }: Duels): boolean {
  let height = new Float64Array(systems);
  for (let round = 0; round < systems; round += 1) {
    const higher = height.map((own, one) => {
      let most = own;
      for (let other = 0; other < systems; other += 1) {
        const at = one * systems + other;
        if (wins[at] > 0) {
          if (wins[other * systems + one] > 0) return Infinity; // each beat the other
          most = Math.max(most, height[other] + 1);
        }
        if (ties[at] > 0) most = Math.max(most, height[other] - 1);
      }
      return most;
    });
    if (higher.includes(Infinity)) return true;
    if (higher.every((own, one) => own === height[one])) return false;
    height = higher;
  }
  return true;
}

/** Strengths, and the log of the tie parameter; −∞ without ties. */
interface Strengths {
  readonly strength: Float64Array;
  readonly logNu: number;
}

/** What is expected at some strengths: how likely the battles are, what pulls on each parameter, and how hard. */
interface Look {
  readonly likelihood: number;
  readonly up: Float64Array;
  readonly down: Float64Array;
  /** Row-major, of the strengths and of the tie parameter: negative second derivatives. */
  readonly information: Float64Array;
}

/** Pairs of systems that met, once each: numbers of wins and ties. */
interface Met {
  readonly one: Int32Array;
  readonly other: Int32Array;
  readonly won: Float64Array;
  readonly lost: Float64Array;
  readonly tied: Float64Array;
}

function metIn({ systems, wins, ties }: Duels): Met {
  const pairs: number[] = [];
  for (let one = 0; one < systems; one += 1)
    for (let other = one + 1; other < systems; other += 1) {
      const at = one * systems + other;
      if (wins[at] + wins[other * systems + one] + ties[at] > 0) pairs.push(at);
    }
  const one = Int32Array.from(pairs, (at) => Math.floor(at / systems));
  const other = Int32Array.from(pairs, (at) => at % systems);
  return {
    one,
    other,
    won: Float64Array.from(pairs, (at) => wins[at]),
    lost: Float64Array.from(pairs, (_, pair) => wins[other[pair] * systems + one[pair]]),
    tied: Float64Array.from(pairs, (at) => ties[at]),
  };
}

/** Nothing is subtracted from 1, so that a rare loss of a strong system counts exactly. */
function lookAt(met: Met, { strength, logNu }: Strengths): Look {
  const systems = strength.length;
  const size = systems + (logNu === -Infinity ? 0 : 1);
  const [up, down] = [new Float64Array(size), new Float64Array(size)];
  const information = new Float64Array(size * size);
  let likelihood = 0;
  for (let pair = 0; pair < met.one.length; pair += 1) {
    const [one, other] = [met.one[pair], met.other[pair]];
    const [won, lost, tied] = [met.won[pair], met.lost[pair], met.tied[pair]];
    const half = (strength[one] - strength[other]) / 2;
    const top = Math.max(Math.abs(half), logNu);
    const [first, second, even] = [Math.exp(half - top), Math.exp(-half - top), Math.exp(logNu - top)];
    const rest = Math.min(first, second) + Math.min(Math.max(first, second), even);
    const total = Math.log1p(rest);
    const [win, lose, tie] = [first / (1 + rest), second / (1 + rest), even / (1 + rest)];
    if (won > 0) likelihood += won * (half - top - total);
    if (lost > 0) likelihood += lost * (-half - top - total);
    if (tied > 0) likelihood += tied * (logNu - top - total);
    // a win pulls by the chance that it was none, a tie counting half; a tie pulls the weaker up
    const raised = won * (lose + tie / 2) + (tied * lose) / 2;
    const lowered = lost * (win + tie / 2) + (tied * win) / 2;
    up[one] += raised;
    down[one] += lowered;
    up[other] += lowered;
    down[other] += raised;
    const number = won + lost + tied;
    const decided = win + lose;
    const between = number * (win * lose + (tie * decided) / 4);
    information[one * size + one] += between;
    information[other * size + other] += between;
    information[one * size + other] -= between;
    information[other * size + one] -= between;
    if (size === systems) continue;
    up[systems] += tied * decided;
    down[systems] += (won + lost) * tie;
    const cross = (number * tie * (lose - win)) / 2;
    information[one * size + systems] += cross;
    information[other * size + systems] -= cross;
    information[systems * size + systems] += number * tie * decided;
  }
  for (let system = 0; system < size - 1; system += 1)
    information[(size - 1) * size + system] = information[system * size + size - 1];
  return { likelihood, up, down, information };
}

/** Climb by damped Newton steps until the pulls on every parameter cancel; null if they do not. */
function mostLikely(duels: Duels, from: Float64Array | null): Float64Array | null {
  const { systems, wins, ties } = duels;
  const met = metIn(duels);
  const tied = ties.reduce((sum, one) => sum + one, 0) / 2;
  const won = wins.reduce((sum, one) => sum + one, 0);
  let model: Strengths = {
    strength: from ?? new Float64Array(systems),
    logNu: tied > 0 ? Math.log((2 * tied) / won) : -Infinity,
  };
  let here = lookAt(met, model);
  for (let step = 0; step < STEPS; step += 1) {
    const { up, down } = here;
    const slack = BALANCE * (1 + model.strength.reduce((most, one) => Math.max(most, Math.abs(one)), 0));
    const gradient = up.map((raised, at) => raised - down[at]);
    if (gradient.every((pull, at) => Math.abs(pull) <= slack * (up[at] + down[at]))) return model.strength;
    const move = solved(anchored(here.information, systems), gradient);
    const promised = move.reduce((sum, own, at) => sum + own * gradient[at], 0);
    const rounding = 1e-13 * Math.abs(here.likelihood); // near the maximum, the likelihood no longer tells points apart
    let [share, ahead, there] = [1, model, here];
    do {
      const taken = share;
      ahead = {
        strength: model.strength.map((own, system) => own + taken * move[system]),
        logNu: move.length > systems ? model.logNu + taken * move[systems] : model.logNu,
      };
      there = lookAt(met, ahead);
      share /= 2;
    } while (there.likelihood < here.likelihood + 2e-4 * share * promised - rounding && share > 1e-30);
    [model, here] = [ahead, there];
  }
  return null;
}

/** Fix the level of the strengths, on which the likelihood does not depend. */
function anchored(information: Float64Array, systems: number): Float64Array {
  const size = Math.sqrt(information.length);
  let trace = 0;
  for (let at = 0; at < size; at += 1) trace += information[at * (size + 1)];
  const level = (trace || 1) / systems ** 2;
  return information.map((own, at) => (at % size < systems && Math.floor(at / size) < systems ? own + level : own));
}

/** Solve A x = b for a positive definite A, which is overwritten, by Cholesky's method. */
function solved(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  const x = Float64Array.from(right);
  for (let row = 0; row < size; row += 1) {
    const from = row * size;
    for (let column = 0; column <= row; column += 1) {
      const to = column * size;
      let sum = matrix[from + column];
      for (let at = 0; at < column; at += 1) sum -= matrix[from + at] * matrix[to + at];
      matrix[from + column] = row === column ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / matrix[to + column];
    }
    for (let at = 0; at < row; at += 1) x[row] -= matrix[from + at] * x[at];
    x[row] /= matrix[from + row];
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    x[row] /= matrix[row * size + row];
    for (let at = 0; at < row; at += 1) x[at] -= matrix[row * size + at] * x[row];
  }
  return x;
}

/** Natural logs of strengths with mean 0; NaN if there are none. */
function strengthsOf(duels: Duels, prior: number, near: Float64Array | null = null): Float64Array {
  const { systems } = duels;
  const nothing = new Float64Array(systems).fill(NaN);
  if (prior === 0 && !hasStrengths(duels)) return nothing;
  const start = near?.includes(NaN) === false ? near : null;
  const full = prior === 0 ? duels : withPrior(duels, prior);
  const found = mostLikely(full, start && Float64Array.from({ length: full.systems }, (_, at) => start[at] ?? 0));
  if (found === null) return nothing;
  const own = found.subarray(0, systems);
  const mean = own.reduce((sum, one) => sum + one, 0) / systems;
  return own.map((strength) => strength - mean);
}

/** With one more system, against which each wins and loses half of its virtual battles. */
function withPrior({ systems, wins, ties }: Duels, prior: number): Duels {
  const size = systems + 1;
  const wider = (values: Float64Array, edge: number): Float64Array =>
    Float64Array.from({ length: size * size }, (_, at) => {
      const [row, column] = [Math.floor(at / size), at % size];
      return row < systems && column < systems ? values[row * systems + column] : row === column ? 0 : edge;
    });
  return { systems: size, wins: wider(wins, prior / 2), ties: wider(ties, 0) };
}

const priorOf = (way: string): number => (way === 'bradley-terry-prior' ? 1 : 0);

/** Rank by strengths. */
export function strengthStanding(tallies: Tallies, battles: Battles, way: string, weights: Float64Array): Standing {
  const score = strengthsOf(duelsOf(tallies, battles, weights), priorOf(way));
  const rounding = new Float64Array(score.length).fill(EQUAL);
  const place = places(score, rounding);
  return { score, rounding, place, rank: competitionRanks(place) };
}

/** Strengths in every replicate; `factors`, row-major tasks × replicates, say how often each task is drawn as a whole. */
export function strengthSamples(
  tallies: Tallies,
  battles: Battles,
  way: string,
  weights: Float64Array,
  { score }: Standing,
  { replicates, drawn: factors }: { readonly replicates: number; readonly drawn: ArrayLike<number> },
): Samples {
  const { systems } = tallies;
  const values = new Float64Array(systems * replicates);
  for (let at = 0; at < replicates; at += 1) {
    const duels = duelsOf(tallies, battles, weights, { at, of: replicates, factors });
    strengthsOf(duels, priorOf(way), score).forEach((own, system) => (values[system * replicates + at] = own));
  }
  return { values, systems, replicates };
}
