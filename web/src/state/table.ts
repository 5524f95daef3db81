/** What views show as tables: with the columns that podium prints and all digits, or as they are read. */

import type { Customized } from '../kernel/customize';
import type { AgreementBoard } from './agreement.svelte';
import { type BattlesBoard, battlesOf } from './battles.svelte';
import type { CompareBoard } from './compare.svelte';
import type { DataBoard } from './data.svelte';
import type { DifficultyBoard } from './difficulty.svelte';
import type { HistoryBoard } from './history.svelte';
import type { Leaderboard } from './leaderboard.svelte';
import type { PairsBoard } from './pairs.svelte';
import { columnText, countText, fixed, percentText, scoreText, shareText } from '../text/number';
import type { Table } from '../text/table';
import type { ShownTable } from '../transport/server';
import type { Sliced, Stressed } from '../transport/told';

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
export function historyTable({ versioned }: HistoryBoard): Table {
  const { steps, systems, ranks, low, high } = versioned;
  const sure = low !== null && high !== null;
  return {
    head: ['step', 'system', 'rank', ...(sure ? ['rank_low', 'rank_high'] : [])],
    rows: steps.flatMap(({ label }, step) => {
      const first = step * systems.length;
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

/** A table whose first columns are labels, and the others numbers. */
export function shown(
  caption: string,
  labels: readonly string[],
  numbers: readonly string[],
  rows: string[][],
): ShownTable {
  const column = (right: boolean) => (name: string) => ({ name, right, label: !right });
  return { caption, foot: 0, head: [...labels.map(column(false)), ...numbers.map(column(true))], rows };
}

/** How much better on every task, and below on average and on a new one. */
export function effectsAsRead({
  rows,
  summaries,
  exact,
  found,
  units,
  oneScale,
  binary,
  names,
}: CompareBoard): ShownTable {
  // tasks of several scales have each their own decimals
  const written = (numbers: number[]): ((number: number) => string) => (oneScale ? columnText(numbers) : scoreText);
  const score = written(rows.flatMap(({ control, treatment }) => [control, treatment]));
  const column = written(rows.map(({ effect }) => units.factor * effect));
  const number = (value: number): string => column(units.factor * value);
  const known = (...cells: string[]): string[] => (exact ? cells : []);
  const pooled = (...cells: string[]): string[] => (found === null ? [] : cells);
  const only = (...cells: string[]): string[] => (binary ? cells : []);
  const table = shown(
    'Differences by task',
    ['task'],
    [
      ...[...known('instances'), ...names, binary ? 'points' : 'difference'],
      ...[...known('from', 'to'), ...pooled('weight')],
      ...only('only first right', 'only second right'),
    ],
    rows.map((row) => [
      ...[row.name, ...known(String(row.n)), score(row.control), score(row.treatment), number(row.effect)],
      ...[...known(number(row.low), number(row.high)), ...pooled(`${fixed(100 * row.weight, 1)}%`)],
      ...only(String(row.worse), String(row.better)),
    ]),
  );
  const some = (value: number): string => (Number.isFinite(value) ? number(value) : '');
  const ends = summaries.map(({ name, effect, low, high }) => [
    ...[name, ...known(''), '', '', some(effect)],
    ...known(some(low), some(high)),
  ]);
  return { ...table, rows: [...table.rows, ...ends], foot: ends.length };
}

/** How often each system beat each other that it met. */
export function duelsAsRead(board: BattlesBoard): ShownTable {
  return shown(
    'Battles of two systems',
    ['system', 'opponent'],
    ['battles', 'won', 'lost', 'tied', 'share won'],
    board
      .pairs()
      .map(({ one, other, pair }) => [
        ...[board.names[one], board.names[other]],
        ...[battlesOf(pair), pair.won, pair.lost, pair.tied].map(scoreText),
        shareText(pair.share),
      ]),
  );
}

/** Which share of the tasks each system wins against each other. */
export function pairsAsRead(board: PairsBoard): ShownTable {
  const { systems: names } = board.leaderboard.data;
  const said = ['second', '–', 'first'];
  return shown(
    'Who beats whom',
    ['system', 'opponent'],
    ['share won', 'better beyond chance'],
    board.systems.flatMap((one, at) =>
      board.systems
        .slice(at + 1)
        .map((other) => [
          names[one],
          names[other],
          shareText(board.share(one, other)),
          said[board.better(one, other) + 1],
        ]),
    ),
  );
}

/** Ranks by all methods, and how far these agree. */
export function ranksByMethod(board: AgreementBoard): readonly ShownTable[] {
  const { systems, methods } = board.agreed;
  const ranks = systems.map((name, system) => {
    const own = board.ranks(system);
    return [name, ...[Math.min(...own), Math.max(...own), ...own].map(String)];
  });
  const tau = methods.map((name, row) => [name, ...methods.map((_, column) => shareText(board.tau(row, column)))]);
  return [
    shown('Ranks', ['system'], ['best', 'worst', ...methods], ranks),
    shown('How far methods agree', ['Kendall’s τ-b'], methods, tau),
  ];
}

/** Both orders, with intervals, and the score in each split. */
export function ordersAsRead(board: DifficultyBoard, answer: Customized): ShownTable {
  const { sure, splitNames } = board;
  const splits = splitNames.length;
  const numbers = ['accuracy', 'rank', 'score', 'rank', 'ranks', 'score from', 'to', 'inflated'];
  return shown(
    'Accuracy, weighted score, and the score in each split',
    ['system'],
    [...numbers, ...splitNames.map((name) => `split ${name}`)],
    board.byAccuracy.map((system) => [
      ...[board.systems[system], percentText(answer.accuracy[system]), String(answer.accuracyRank[system] || '–')],
      ...[percentText(answer.score[system]), String(answer.rank[system] || '–')],
      sure === null ? '–' : `${sure.rankLow[system]}–${sure.rankHigh[system]}`,
      ...[sure?.low[system] ?? NaN, sure?.high[system] ?? NaN, answer.inflation[system]].map(percentText),
      ...Array.from(answer.splitScores.subarray(system * splits, (system + 1) * splits), percentText),
    ]),
  );
}

/** How much of the first place is kept. */
export function sharesKept({ stresses, methods }: Stressed): ShownTable {
  return shown(
    'Shares of the first place that are kept',
    ['stress'],
    ['strength', ...methods],
    stresses.flatMap(({ name, strengths, mean }) =>
      strengths.map((strength, at) => [name, scoreText(strength), ...mean.map((own) => shareText(own[at]))]),
    ),
  );
}

/** Scores on all slices. */
export function scoresBySlice({ systems, slices, texts }: Sliced): ShownTable {
  const rows = systems.map((name, row) => [name, ...texts[row]]);
  return shown('Scores on slices; *: departs by more than chance', ['system'], slices, rows);
}

/** The ranks of the drawn systems in all steps. */
export function ranksByStep(board: HistoryBoard): ShownTable {
  return shown(
    'Rank in each step',
    ['system'],
    board.versioned.steps.map(({ label }) => label),
    board.drawn.map((system) => [board.names[system], ...board.ranks(system).map((rank) => String(rank || '–'))]),
  );
}

/** Tasks that a cell names. */
const NAMED = 5;

/** Who has no scores on what. */
export function missingAsRead(board: DataBoard): ShownTable {
  const { systems, data, holes } = board;
  const { tasks } = data;
  const rows = systems.map((system) => {
    const without = tasks.filter((_, task) => board.scored(system, task) === 0).map(({ name }) => name);
    const more = without.length > NAMED ? ` and ${countText(without.length - NAMED)} more` : '';
    const has = `${tasks.length - without.length} of ${tasks.length}`;
    return [data.systems[system], has, countText(holes.ofSystem[system]), without.slice(0, NAMED).join(', ') + more];
  });
  const table = shown('Who has scores on what', ['system'], ['tasks with scores', 'missing scores'], rows);
  return { ...table, head: [...table.head, { name: 'has none on', right: false, label: true }] };
}
