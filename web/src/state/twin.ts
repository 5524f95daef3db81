/** What figures show, as tables: the same numbers as they are read. */

import { columnText, countText, fixed, percentText, scoreText, shareText } from '../text/number';
import type { ShownTable } from '../transport/server';
import type { Sliced } from '../transport/sliced';
import type { Stressed } from '../transport/stressed';
import type { Customized } from '../kernel/customize';
import type { AgreementBoard } from './agreement.svelte';
import { battlesOf, type BattlesBoard } from './battles.svelte';
import type { CompareBoard } from './compare.svelte';
import type { DataBoard } from './data.svelte';
import type { DifficultyBoard } from './difficulty.svelte';
import type { HistoryBoard } from './history.svelte';
import type { PairsBoard } from './pairs.svelte';

/** A table whose first columns are labels, and the others numbers. */
function shown(caption: string, labels: readonly string[], numbers: readonly string[], rows: string[][]): ShownTable {
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
