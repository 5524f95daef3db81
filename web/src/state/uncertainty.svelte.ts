/** Intervals of what is asked: a worker makes them, and until they come there are those before. */

import { untrack } from 'svelte';
import type { Intervals } from '../kernel/interval';
import type { CountedTask } from '../kernel/recount';
import type { Tallies } from '../kernel/tallies';
import type { Doubt, Ranking } from '../kernel/uncertainty';
import type { Way } from '../kernel/way';
import { started } from '../worker/worker';

/** What intervals are of. */
export interface Question {
  readonly way: Way;
  readonly kept: readonly number[];
  readonly weights: readonly number[];
  /** Scores of instances, which say how the rest of the systems vary; null where they are not at hand. */
  readonly table: readonly CountedTask[] | null;
}

export type ReadTable = () => Promise<NonNullable<Question['table']>>;

/** Milliseconds after which intervals are late. */
const PATIENCE = 150;

export class Uncertainty {
  /** Intervals of the latest question, or of the one before until these come. */
  latest: Intervals | null = $state.raw(null);
  /** What to know about these, or why there are none. */
  doubt: Doubt = $state.raw(null);
  /** Whether they are late: shown pale then, which is not worth drawing for a moment. */
  late = $state(false);
  /** Scores of instances; null until some systems are left out. */
  table: Question['table'] = $state.raw(null);
  /** Whether first rows are on the screen: what workers get takes its time. */
  #painted = $state(false);
  /** How scores of instances are read; null if the page does not hold them. */
  #readTable: ReadTable | null = $state.raw(null);
  readonly #question: () => Question;
  #answered: Question | null = $state.raw(null);
  /** Whether they are of something else than what is shown. */
  readonly stale: boolean = $derived.by(() => this.#answered !== this.#question());
  /** Whether intervals, or that there are none, are known at all. */
  readonly known: boolean = $derived.by(() => this.#answered !== null);
  /** Those of what is shown; null until they come. */
  readonly current: Intervals | null = $derived.by(() => (this.stale ? null : this.latest));
  readonly #data: Tallies;
  /** Started when it is first asked: until then the page is drawn. */
  #worker: Worker | null = null;
  #asked = 0;
  #waiting: Question | null = null;
  /** What the worker has of instances. */
  #sent: Question['table'] = null;
  #slow: ReturnType<typeof setTimeout> | undefined;

  constructor(data: Tallies, question: () => Question, readTable: ReadTable | null) {
    this.#readTable = readTable;
    this.#data = data;
    this.#question = question;
  }

  #start(): Worker {
    const worker = started('rank');
    worker.onmessage = ({ data: answer }: MessageEvent<{ number: number; ranking: Ranking }>): void => {
      if (answer.number !== this.#asked) return;
      this.latest = answer.ranking.intervals;
      this.doubt = answer.ranking.doubt;
      this.#settle();
    };
    worker.onerror = (): void => this.#settle();
    return worker;
  }

  /** Whether scores of instances can say how some of the systems vary. */
  get canCount(): boolean {
    return this.#readTable !== null;
  }

  /** Keep intervals of what is shown as long as the view is open that calls this while it is made. */
  keep(leavesOut: () => boolean): void {
    requestAnimationFrame(() => setTimeout(() => (this.#painted = true)));
    // Outside: the worker, which is asked once for every change; and the scores of instances, which it may need.
    $effect(() => {
      const question = this.#question();
      if (!this.#painted) return;
      if (leavesOut() && this.table === null && this.#readTable !== null) void this.#takeTable(this.#readTable);
      else untrack(() => this.#ask(question));
    });
  }

  async #takeTable(read: ReadTable): Promise<void> {
    try {
      this.table = await read();
    } catch {
      this.#readTable = null; // as if the page did not hold them
    }
  }

  /** Ask the worker, unless it was the last that was asked; ranks never wait for it. */
  #ask(question: Question): void {
    if (question === this.#waiting) return;
    this.#asked += 1;
    this.#waiting = question;
    this.#slow ??= setTimeout(() => (this.late = true), PATIENCE);
    const { way, kept, weights, table } = question;
    const { shares, means, systems } = this.#data;
    // what is large goes once, as copies that are handed over
    const data = this.#asked > 1 ? null : { ...this.#data, shares: shares.slice(), means: means.slice() };
    const order = {
      ...(data && { data }),
      ...(table === this.#sent ? {} : { table }),
      way,
      kept: kept.length === systems ? null : [...kept],
      weights: Float64Array.from(weights),
      number: this.#asked,
    };
    this.#worker ??= this.#start();
    this.#worker.postMessage(order, data === null ? [] : [data.shares.buffer, data.means.buffer]);
    this.#sent = table;
  }

  close(): void {
    this.#worker?.terminate();
    clearTimeout(this.#slow);
  }

  #settle(): void {
    clearTimeout(this.#slow);
    this.#slow = undefined;
    this.late = false;
    this.#answered = this.#waiting;
  }
}
