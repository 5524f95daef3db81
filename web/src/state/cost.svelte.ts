/** Scores against costs: the cost and the height that are shown, the frontier, and the dot that is pointed at. */

import { frontierOf, type Frontier } from '../kernel/frontier';
import { commandOf, quoted } from '../text/command';
import { scoreText } from '../text/number';
import { capital, inWords, listed, percent, scopeInWords, type Part } from '../text/sentence';
import type { Property } from '../transport/page-data';
import type { ShownTable } from '../transport/server';
import type { Leaderboard } from './leaderboard.svelte';
import { shown } from './table';

type Cost = Extract<Property, { kind: 'number' }>;

/** The axis of costs is logarithmic above this factor. */
const FACTOR = 50;

/** Systems of a kind that the sentence names at most. */
const NAMED = 4;

export class CostBoard {
  readonly board: Leaderboard;
  /** Properties of numbers, of which one is shown. */
  readonly costs: readonly Cost[];
  chosen = $state(0);
  height: 'score' | 'rank' = $state('score');
  /** The dot that is pointed at, and the first of two to be compared; −1 for none. */
  hot = $state(-1);
  picked = $state(-1);
  readonly cost: Cost = $derived.by(() => this.costs[this.chosen]);
  readonly values: readonly number[] = $derived.by(() =>
    this.board.data.systems.map((_, at) => this.cost.values[at] ?? NaN),
  );
  readonly frontier: Frontier = $derived.by(() => {
    const { current, ranking } = this.board;
    const better = this.cost.exact ? (current?.better ?? null) : null;
    const { higherIsBetter } = this.cost;
    return frontierOf({ better, rank: ranking.rank, costs: this.values, higherIsBetter });
  });
  readonly logarithmic: boolean = $derived.by(() => {
    const all = this.frontier.order.map((system) => this.values[system]);
    return Math.min(...all) > 0 && Math.max(...all) > FACTOR * Math.min(...all);
  });

  constructor(board: Leaderboard) {
    this.board = board;
    this.costs = board.data.properties.filter((one) => one.kind === 'number');
  }

  /** Name of the cost that is shown, as links hold it; empty for the first. */
  get name(): string {
    return this.chosen === 0 ? '' : this.cost.name;
  }

  pick(name: string): void {
    this.chosen = Math.max(
      this.costs.findIndex((cost) => cost.name === name),
      0,
    );
  }

  /** Height of a dot, and both ends of its interval. */
  ends(system: number): readonly [number, number, number] {
    const { board, height } = this;
    const { current: sure } = board;
    if (height === 'rank') {
      const rank = board.ranking.rank[system];
      return [rank, sure?.rankLow[system] ?? rank, sure?.rankHigh[system] ?? rank];
    }
    const score = board.score(system);
    const [low, high] = (sure === null ? null : board.ends(system)) ?? [score, score];
    return [score, low, high];
  }

  /** Who is where, as one sentence. */
  get sentence(): Part[] {
    const { board, frontier, cost } = this;
    const { systems } = board.data;
    if (frontier.order.length < 2) return [{ text: `${cost.name} is known of fewer than two ranked systems.` }];
    const ofKind = (place: string): Part[] => {
      const own = frontier.order.filter((system) => frontier.places[system] === place);
      const named = own.slice(0, NAMED).map((system): Part => ({ text: systems[system], strong: true }));
      return own.length > NAMED ? [...named, { text: `${inWords(own.length - NAMED)} more` }] : named;
    };
    const scope = scopeInWords(board.units, board.weights.filter((weight) => weight > 0).length);
    const sure = ` (${percent(board.data.shares.confidence)} confidence, all systems together, ${scope})`;
    const said = (
      [
        ['Surely on the frontier: ', ofKind('surely')],
        ['perhaps on it: ', ofKind('perhaps')],
        ['surely dominated: ', ofKind('dominated')],
      ] as const
    ).filter(([, names]) => names.length > 0);
    const isOpen = board.current === null || said[0][0].startsWith('S'); // before intervals come nothing is said of them
    const none = isOpen ? [] : [{ text: 'None is surely on the frontier; ' }];
    const all = said.flatMap(([head, names], at) => {
      const text = at > 0 ? `; ${head}` : none.length === 0 ? capital(head) : head;
      return [{ text }, ...listed(names)];
    });
    return [...none, ...all, { text: board.current === null ? '.' : `${sure}.` }];
  }

  /** What is said of a dot. */
  said(system: number): string {
    const { board, frontier, cost, values } = this;
    const { systems } = board.data;
    const [at, low, high] = this.ends(system);
    const shown = this.height === 'rank' ? String : board.scoreText;
    const between = low === high ? '' : ` (${shown(low)} to ${shown(high)})`;
    const by = frontier.by[system];
    const place = {
      surely: 'surely on the frontier',
      perhaps: 'perhaps on the frontier',
      dominated: by < 0 ? '' : `surely dominated by ${systems[by]}`,
    }[frontier.places[system]];
    return `${systems[system]}: ${cost.name} ${scoreText(values[system])}, ${this.height} ${shown(at)}${between}, ${place}`;
  }

  get command(): string {
    const { data, asked, weighted } = this.board;
    if (!data.command.startsWith('podium rank') || !weighted) return '';
    const named = quoted(this.cost.name.replaceAll(',', '\\,'));
    return `${commandOf(data.command, asked).replace('podium rank', 'podium frontier')} --cost ${named}`;
  }

  /** The same as a table. */
  get table(): ShownTable {
    const { board, frontier, cost, values } = this;
    const { systems } = board.data;
    const rows = frontier.order.map((system) => {
      const ends = board.current === null ? null : board.ends(system);
      const numbers = [board.score(system), ends?.[0] ?? NaN, ends?.[1] ?? NaN].map(board.scoreText);
      return [
        ...[systems[system], scoreText(values[system]), String(board.ranking.rank[system]), ...numbers],
        ...[frontier.places[system], systems[frontier.by[system]] ?? '–'],
      ];
    });
    const table = shown(`Score and ${cost.name}`, ['system'], [cost.name, 'rank', 'score', 'from', 'to'], rows);
    const label = (name: string): ShownTable['head'][number] => ({ name, right: false, label: true });
    return { ...table, head: [...table.head, label('frontier'), label('dominated by')] };
  }
}
