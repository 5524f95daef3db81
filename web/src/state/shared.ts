/** What a reader can take from the view that is shown. */

import { commandOf } from '../text/command';
import { svgOf } from '../text/picture';
import {
  asGiven,
  askInPython,
  compareInPython,
  customizeInPython,
  historyInPython,
  rankInPython,
  slicesInPython,
  stressInPython,
} from '../text/python';
import { capital, percent } from '../text/sentence';
import type { Table } from '../text/table';
import { scoreName, wayInWords } from '../text/way';
import { sentenceOf } from './sentence';
import type { Boards } from './boards.svelte';
import {
  agreementTable,
  boardAsRead,
  boardTable,
  compareTable,
  dataTable,
  difficultyTable,
  duelsTable,
  historyTable,
  stressTable,
  tableOf,
} from './table';

interface Shared {
  /** Whether the view has its answer; and what it still lacks, in words. */
  readonly ready: boolean;
  readonly lacks: string;
  /** What prints the same; empty where it is not known. */
  readonly command: string;
  readonly python: string;
  /** What files are called after the title, and what is in them. */
  readonly suffix: string;
  readonly caption: string;
  /** With all digits, and as it is read; null without an answer. */
  readonly table: Table | null;
  readonly read: Table | null;
  /** A drawing of its own, as SVG, of so many rows; null where the figures on the screen are the picture. */
  readonly drawing: ((rows: number) => string) | null;
}

type Taken = Partial<Shared> & Pick<Shared, 'table' | 'caption'>;

export function sharedOf(boards: Boards): Shared {
  const taken = takenFrom(boards);
  return {
    ready: true,
    lacks: '',
    command: '',
    python: '',
    suffix: `-${boards.view}`,
    read: taken.table,
    drawing: null,
    ...taken,
  };
}

function takenFrom(boards: Boards): Taken {
  const { view, leaderboard, difficulty, compare, agreement, stressed, sliced, history } = boards;
  const { data, asked } = leaderboard;
  const { python } = data;
  const given = asGiven(python, { tasks: asked.tasks, weights: leaderboard.given });
  const sampled = { confidence: data.shares.confidence, replicates: data.replicates, seed: data.seed };
  if (view === 'difficulty' && difficulty !== null) {
    const { name, own, splits } = difficulty.measured;
    return {
      ready: !difficulty.stale && typeof difficulty.answer !== 'string',
      command: difficulty.command,
      python: customizeInPython(given, difficulty.recipe, { name, own, column: splits?.column ?? '' }, sampled),
      caption: `By difficulty: ${difficulty.text}.`,
      table: difficultyTable(difficulty),
    };
  }
  if (view === 'compare' && compare !== null)
    return {
      ready: compare.rows.length > 0,
      command: compare.command,
      python: compareInPython(python, compare.asked, compare.names, compare.measure, sampled.confidence),
      caption: `${compare.names[1]} against ${compare.names[0]}.`,
      table: compareTable(compare),
    };
  if (view === 'battles' && boards.battles !== null)
    return {
      command:
        (data.pairwiseCommand ?? '') === '' ? '' : commandOf(data.pairwiseCommand ?? '', { ...asked, way: null }),
      python: askInPython(asGiven(python, asked), 'pairwise'),
      caption: 'Battles of two systems.',
      table: duelsTable(boards.battles),
    };
  if (view === 'agreement' && agreement !== null) {
    const { command } = agreement.agreed;
    const caption = 'Ranks by several methods.';
    return { command, python: askInPython(given, 'agree'), caption, table: agreementTable(agreement) };
  }
  if (view === 'robustness' && stressed !== null)
    return {
      command: stressed.command,
      python: stressInPython(given),
      caption: 'How much of the first place is kept.',
      table: stressTable(stressed),
    };
  if (view === 'slices' && sliced !== null) {
    const [{ head, rows }] = sliced.tables;
    return {
      command: sliced.command,
      python: slicesInPython(python),
      caption: `${sliced.verdict[0]}.`,
      table: sliced.rows,
      read: { head: head.map(({ name }) => name), rows },
    };
  }
  if (view === 'history' && history !== null) {
    const { command, tables } = history.versioned;
    const [{ caption, head, rows }] = tables;
    return {
      command,
      python: historyInPython(python),
      caption: `${capital(caption)}.`,
      table: historyTable(history),
      read: { head: head.map(({ name }) => name), rows },
    };
  }
  if (view === 'data')
    return {
      command: data.infoCommand,
      python: askInPython(given, 'info'),
      caption: 'Tasks.',
      table: dataTable(boards.data),
    };
  const rows = tableOf(leaderboard);
  const { way, ways, usual, scoreText } = leaderboard;
  const changed = leaderboard.reweighed ? ', weighed by hand' : '';
  const caption = `Ranked by ${wayInWords(way, ways.length > 2)} over ${data.tasks.length} tasks${changed}.`;
  return {
    ready: leaderboard.weighted,
    lacks: leaderboard.uncertainty.stale ? 'Intervals are being computed; files are without them until then.' : '',
    command: data.command === '' ? '' : commandOf(data.command, asked),
    python: rankInPython(python, asked, sampled),
    suffix: way === usual ? '' : `-${way}`,
    caption,
    table: boardTable(rows),
    read: boardAsRead(rows, scoreText),
    drawing: (most) =>
      svgOf({
        rows: rows.slice(0, most),
        ranked: leaderboard.kept.length,
        sentence: sentenceOf(leaderboard)
          .map(({ text }) => text)
          .join(''),
        caption: `${data.title}. ${caption}`,
        scoreName: scoreName(way),
        scoreText,
        level: percent(data.shares.confidence),
      }),
  };
}
