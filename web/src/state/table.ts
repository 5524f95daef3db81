/** What views show as tables: with the columns that podium prints and all digits, or as they are read. */

import type { Table } from '../text/table';
import type { Stressed } from '../transport/stressed';
import type { AgreementBoard } from './agreement.svelte';
import type { BattlesBoard } from './battles.svelte';
import type { CompareBoard } from './compare.svelte';
import type { DataBoard } from './data.svelte';
import type { DifficultyBoard } from './difficulty.svelte';
import type { HistoryBoard } from './history.svelte';
import type { Leaderboard } from './leaderboard.svelte';

export interface TableRow {
  readonly system: string;
  readonly rank: number;
  readonly score: number;
  readonly firstUnder: number | undefined;
  readonly mayBeBest: boolean;
  /** None without intervals. */
  readonly intervals: {
    readonly scoreLow: number;
    readonly scoreHigh: number;
    readonly rankLow: number;
    readonly rankHigh: number;
    readonly jointRankLow: number;
    readonly jointRankHigh: number;
    readonly tier: number;
  } | null;
}

/** The rows in view, in their order; without intervals as long as these are of something else. */
export function tableOf(board: Leaderboard): TableRow[] {
  const { data, ranking, current: intervals, shown, weighing } = board;
  return shown.map((system) => ({
    system: data.systems[system],
    rank: ranking.rank[system],
    score: board.score(system),
    firstUnder: weighing.first?.[system],
    mayBeBest: board.mayBeBest(system),
    intervals: intervals && {
      scoreLow: board.ends(system)?.[0] ?? NaN,
      scoreHigh: board.ends(system)?.[1] ?? NaN,
      rankLow: intervals.rankLow[system],
      rankHigh: intervals.rankHigh[system],
      jointRankLow: intervals.jointRankLow[system],
      jointRankHigh: intervals.jointRankHigh[system],
      tier: intervals.tier[system],
    },
  }));
}

/** The leaderboard as `podium rank` has it. */
export function boardTable(rows: readonly TableRow[]): Table {
  const sure = rows.some(({ intervals }) => intervals !== null);
  const head = ['system', 'rank', 'score'];
  if (sure) head.push('score_low', 'score_high', 'rank_low', 'rank_high', 'joint_rank_low', 'joint_rank_high', 'tier');
  return {
    head: [...head, 'first_under'],
    rows: rows.map(({ system, rank, score, firstUnder, intervals }) => [
      ...[system, rank, score],
      ...(intervals === null ? [] : Object.values(intervals)),
      firstUnder ?? NaN,
    ]),
  };
}

/** The leaderboard as one reads it. */
export function boardAsRead(rows: readonly TableRow[], scoreText: (score: number) => string): Table {
  const sure = rows.some(({ intervals }) => intervals !== null);
  return {
    head: sure ? ['rank', 'between', 'tier', 'system', 'score'] : ['rank', 'system', 'score'],
    rows: rows.map(({ system, rank, score, intervals }) =>
      intervals === null
        ? [rank, system, scoreText(score)]
        : [
            rank,
            `${intervals.rankLow}–${intervals.rankHigh}`,
            intervals.tier,
            system,
            `${scoreText(score)} [${scoreText(intervals.scoreLow)}, ${scoreText(intervals.scoreHigh)}]`,
          ],
    ),
  };
}

/** The table by difficulty as `podium customize` has it; null without an answer. */
export function difficultyTable({ answer, sure, systems, splitNames, byScore }: DifficultyBoard): Table | null {
  if (typeof answer === 'string') return null;
  const splits = splitNames.length;
  const ends = ['score_low', 'score_high', 'rank_low', 'rank_high', 'joint_rank_low', 'joint_rank_high', 'tier'];
  const known = [
    ...['accuracy', 'accuracy_rank', 'rank_change', 'inflation'],
    ...splitNames.map((one) => `split_${one}`),
  ];
  return {
    head: ['system', 'rank', 'score', ...(sure === null ? [] : ends), ...known],
    rows: byScore.map((system) => {
      const up = answer.rank[system] > 0 ? answer.accuracyRank[system] - answer.rank[system] : NaN;
      const around =
        sure === null
          ? []
          : [sure.low, sure.high, sure.rankLow, sure.rankHigh, sure.jointRankLow, sure.jointRankHigh, sure.tier];
      return [
        ...[systems[system], answer.rank[system], answer.score[system], ...around.map((column) => column[system])],
        ...[answer.accuracy[system], answer.accuracyRank[system], up, answer.inflation[system]],
        ...answer.splitScores.slice(system * splits, (system + 1) * splits),
      ];
    }),
  };
}

/** The tasks of two systems as `podium compare` has them; without scores of instances as it has them in JSON. */
export function compareTable({ rows, exact, binary }: CompareBoard): Table {
  if (!exact)
    return {
      head: ['task', 'control_score', 'treatment_score', 'difference'],
      rows: rows.map(({ name, control, treatment, effect }) => [name, control, treatment, effect]),
    };
  return {
    head: [
      ...['task', 'n', 'control_mean', 'treatment_mean', 'effect', 'low', 'high', 'weight'],
      ...(binary ? ['better', 'worse'] : []),
    ],
    rows: rows.map(({ name, n, control, treatment, effect, low, high, weight, better, worse }) => [
      ...[name, n, control, treatment, effect, low, high, weight],
      ...(binary ? [better, worse] : []),
    ]),
  };
}

/** Pairs of systems as `podium pairwise` has them, with numbers of battles. */
export function duelsTable(board: BattlesBoard): Table {
  return {
    head: ['system', 'opponent', 'probability', 'won', 'lost', 'tied'],
    rows: board
      .pairs()
      .map(({ one, other, pair }) => [
        ...[board.names[one], board.names[other], pair.share, pair.won, pair.lost, pair.tied],
      ]),
  };
}

/** Ranks by all methods as `podium agree` has them. */
export function agreementTable(board: AgreementBoard): Table {
  const { systems, methods } = board.agreed;
  return {
    head: ['system', 'best', 'worst', 'spread', ...methods],
    rows: systems.map((name, system) => {
      const ranks = board.ranks(system);
      return [name, Math.min(...ranks), Math.max(...ranks), board.spread(system), ...ranks];
    }),
  };
}

/** How much of the first place is kept, as `podium stress` has it. */
export function stressTable({ stresses, methods }: Stressed): Table {
  return {
    head: ['stress', 'strength', 'method', 'mean', 'low', 'high'],
    rows: stresses.flatMap(({ name, strengths, mean, low, high }) =>
      strengths.flatMap((strength, at) =>
        methods.map((method, way) => [name, strength, method, mean[way][at], low[way][at], high[way][at]]),
      ),
    ),
  };
}

/** Ranks in all steps as `podium history` has them, the best first. */
export function historyTable({ versioned, course }: HistoryBoard): Table {
  const { steps, systems, ranks, low, high } = versioned;
  const sure = low !== null && high !== null;
  return {
    head: ['step', 'system', 'rank', ...(sure ? ['rank_low', 'rank_high'] : [])],
    rows: steps.flatMap(({ label }, step) => {
      const first = step * course.systems;
      const ranked = Array.from(systems.keys()).filter((system) => ranks[first + system] > 0);
      const order = ranked.sort((one, other) => ranks[first + one] - ranks[first + other] || one - other);
      return order.map((system) => [
        ...[label, systems[system], ranks[first + system]],
        ...(sure ? [low, high].map((ends) => ends[first + system] || NaN) : []),
      ]);
    }),
  };
}

/** The tasks as `podium info` has them. */
export function dataTable({ sorted, data }: DataBoard): Table {
  return {
    head: ['task', 'higher_is_better', 'weight', 'n_instances', 'n_cells', 'n_scored', 'pairs', 'tied', 'near'],
    rows: sorted.map(({ task, name, better, weight, instances, missing }) => {
      const { pairs, tied, near } = data.tasks[task];
      const cells = instances * data.systems.length;
      return [name, String(better === 'higher'), weight, instances, cells, cells - missing, pairs, tied, near];
    }),
  };
}
