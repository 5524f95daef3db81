/** Ranks by several methods: what is drawn of them, and the system that is picked. */

import { compareText } from '../kernel/place';
import { ranksAmong, ranksOf, slots } from '../kernel/ranks';
import { Picks, type RankLine } from './picks.svelte';
import { rangeInWords } from '../text/note';
import type { Agreed } from '../transport/told';

/** From so many ranks on a system has moved; and systems that stand out with a colour each. */
const [MOVED, COLOURED] = [2, 6];

export class AgreementBoard extends Picks {
  readonly agreed: Agreed;
  /** Systems that are drawn, by number, also the one that is picked: those that move most first. */
  readonly drawn: readonly number[] = $derived.by(() => {
    const { drawn } = this.agreed;
    return this.picked < 0 || drawn.includes(this.picked) ? drawn : [...drawn, this.picked];
  });
  /** Lines of these, those first that are best by the last method. */
  readonly lines: readonly RankLine[] = $derived.by(() => this.#lines());

  constructor(agreed: Agreed) {
    super(agreed.systems);
    this.agreed = agreed;
  }

  ranks(system: number): number[] {
    return ranksOf(this.agreed.rankings, system);
  }

  /** How many ranks lie between the best and the worst. */
  spread(system: number): number {
    const ranks = this.ranks(system);
    return Math.max(...ranks) - Math.min(...ranks);
  }

  /** Kendall's τ-b of two methods. */
  tau(one: number, other: number): number {
    return this.agreed.tau[one * this.agreed.methods.length + other];
  }

  #lines(): RankLine[] {
    const { drawn, names } = this;
    const { columns, methods, rankings } = this.agreed;
    const byName = (one: number, other: number): number => compareText(names[drawn[one]], names[drawn[other]]);
    const rows = columns.map((method) => ranksAmong(rankings, method, drawn));
    const [left, right] = [slots(rows, byName), slots([...rows].reverse(), byName)];
    const lines = drawn.map((system, index): RankLine => {
      const [ranks, moved] = [this.ranks(system), this.spread(system) >= MOVED];
      const bold = moved && index < COLOURED;
      return {
        ...{ system, label: names[system], said: rangeInWords(names[system], ranks, methods) },
        ...{ ranks: columns.map((method) => ranks[method]), rows: rows.map((row) => row[index]) },
        ...{ left: left[index], right: right[index], bold, band: null, marks: [] },
        colour: bold ? `var(--c${index})` : moved ? 'var(--faint)' : 'var(--line)',
      };
    });
    return lines.sort((one, other) => one.right - other.right);
  }
}
