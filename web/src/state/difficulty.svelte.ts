/** The leaderboard by difficulty as it is asked, and its answers. */

import { type Bars, barsOf, boundaries, moved, rounded, stepped } from '../kernel/boundary';
import { ratedOf } from '../kernel/box';
import {
  type Contents,
  contentsFor,
  type Customized,
  Customizer,
  type Graded,
  Impossible,
  type Measure,
  type Recipe,
} from '../kernel/customize';
import type { Intervals } from '../kernel/interval';
import { bestFirst } from '../kernel/place';
import { CASES, type Factor, type Splitting, splitWeights, type Weighting } from '../kernel/split';
import { customizeCommand, MOST_SPLITS, PLAIN, recipeFrom, recipeText } from '../text/recipe';
import type { Difficulty } from '../transport/graded';
import type { PageData } from '../transport/page-data';
import { started } from '../worker/worker';

/** Bars of the histogram. */
const BARS = 44;

export class DifficultyBoard {
  readonly systems: readonly string[];
  readonly graded: Graded;
  readonly confidence: number;
  readonly replicates: number;
  /** What is in the page, in words. */
  readonly holds: string;
  readonly #commands: readonly string[];
  readonly #customizer: Customizer;

  recipe: Recipe = $state.raw(PLAIN);
  /** A system that is pointed at; −1 for none. */
  hot = $state(-1);

  /** The system whose splits are looked at, where each has its own; −1 for the first. */
  picked = $state(-1);

  /** The number of the measure, which most changes of the recipe leave as it is. */
  readonly #measure: number = $derived.by(() => this.recipe.measure);
  readonly measured: Measure = $derived.by(() => this.graded.measures[this.#measure]);
  /** Instances that are rated, and their tasks. */
  readonly instances: number = $derived.by(() => {
    const own = this.#customizer.tasks(this.#measure);
    return own.reduce((sum, task) => sum + ratedOf(task, this.#measure).length, 0);
  });
  readonly tasks: number = $derived.by(() => this.#customizer.tasks(this.#measure).length);
  /** What the recipe gives, or why it gives nothing. */
  readonly answer: Customized | string = $derived.by(() => this.#answer(this.recipe));
  /** The system of the histogram, which matters where each has its own splits. */
  readonly shown: number = $derived.by(() => {
    return this.picked >= 0 ? this.picked : (this.byScore[0] ?? 0);
  });
  /** Difficulties of all rated instances, or how sure the shown system is of its answers, increasing. */
  readonly values: Float64Array = $derived.by(() => this.#sorted(this.#measure, this.shown));
  readonly #different = $derived.by(() => this.values.filter((value, at) => at === 0 || value !== this.values[at - 1]));
  readonly bars: Bars = $derived.by(() => barsOf(this.values, BARS));
  readonly span: readonly [number, number] = $derived.by(() => [this.values[0], this.values[this.values.length - 1]]);
  /** What lies in the splits of the histogram; null without an answer. */
  readonly contents: Contents | null = $derived.by(() =>
    typeof this.answer === 'string' ? null : contentsFor(this.answer.partition, this.shown),
  );
  /** Thresholds between splits, from easy to hard; null where splits overlap, or lie in one difficulty. */
  readonly boundaries: number[] | null = $derived.by(() =>
    typeof this.answer === 'string' || this.contents === null
      ? null
      : boundaries(this.answer.partition, this.contents, this.recipe, this.measured.hard),
  );
  /** What the splits are called, from easy to hard. */
  readonly splitNames: readonly string[] = $derived.by(() => {
    const { by, count } = this.recipe.splitting;
    const named = by === 'manual' ? this.measured.splits?.names : undefined;
    return named ?? Array.from({ length: count }, (_, split) => String(split + 1));
  });
  /** Systems with fewer values of their own than splits on some task. */
  readonly short: readonly string[] = $derived.by(() => {
    const { answer } = this;
    if (typeof answer === 'string') return [];
    return this.systems.filter((_, system) => answer.partition.short.some((box) => box[system]));
  });
  /** Number of the case of the paper's Table 1; 0 of none. */
  readonly case: number = $derived.by(
    () => CASES.findIndex(({ weighting }) => JSON.stringify(weighting) === JSON.stringify(this.recipe.weighting)) + 1,
  );
  /** Systems in order of the weighted score. */
  readonly byScore: readonly number[] = $derived.by(() =>
    typeof this.answer === 'string' ? [] : bestFirst(this.answer.place, this.systems),
  );
  /** Systems in order of accuracy, equals by the weighted score. */
  readonly byAccuracy: readonly number[] = $derived.by(() => {
    if (typeof this.answer === 'string') return [];
    const { accuracyRank } = this.answer;
    return [...this.byScore].sort((one, other) => (accuracyRank[one] || Infinity) - (accuracyRank[other] || Infinity));
  });

  /** Intervals of the latest recipe; or why there are none; undefined until that is known. */
  intervals: Intervals | string | undefined = $state.raw(undefined);
  stale = $state(true);
  readonly #worker = started('customize');
  #asked = 0;
  /** Whether the worker is at work; of recipes that come meanwhile it gets the last. */
  #busy = false;
  /** Whether the worker has the data. */
  #told = false;

  constructor(data: PageData, held: Difficulty) {
    this.systems = data.systems;
    this.graded = held.graded;
    this.confidence = data.shares.confidence;
    this.replicates = data.replicates;
    this.holds = data.holds;
    this.#commands = held.commands;
    this.#customizer = new Customizer(held.graded);
    this.#worker.onmessage = ({ data: told }: MessageEvent<{ number: number; found: Intervals | string }>): void => {
      this.#busy = false;
      if (told.number !== this.#asked) return this.#post();
      this.intervals = told.found;
      this.stale = false;
    };
    this.#worker.onerror = (): void => {
      this.#busy = false;
      this.intervals = 'No intervals: this browser could not make them.';
      this.stale = false;
    };
  }

  /** What a link to this view holds of the recipe. */
  get text(): string {
    return recipeText(this.recipe, this.graded.measures);
  }

  get command(): string {
    const command = this.#commands[this.recipe.measure];
    return command === '' ? '' : customizeCommand(command, this.recipe, this.measured.splits?.column ?? '');
  }

  /** The name of the system whose splits are looked at; empty unless a reader picked it. */
  get name(): string {
    return this.measured.own && this.picked >= 0 ? this.systems[this.picked] : '';
  }

  /** Pick a system by its name; the first where there is no such. */
  pick(name: string): void {
    this.picked = this.systems.indexOf(name);
  }

  /** Show the recipe of a link, or return false if it makes no sense here. */
  show(text: string): boolean {
    const found = recipeFrom(text, this.graded.measures);
    this.recipe = found ?? PLAIN;
    return found !== null;
  }

  /** Ask the worker for intervals; scores never wait for them. */
  ask(): void {
    this.stale = true;
    if (typeof this.answer === 'string') return;
    this.#asked += 1;
    if (!this.#busy) this.#post();
  }

  #post(): void {
    this.#busy = typeof this.answer !== 'string';
    if (!this.#busy) return;
    const graded = this.#told ? {} : { graded: this.graded };
    this.#told = true;
    const { recipe, confidence, replicates } = this;
    this.#worker.postMessage({ ...graded, recipe, confidence, replicates, number: this.#asked });
  }

  /** Intervals of the recipe or of the one before; null where there are none. */
  get sure(): Intervals | null {
    return typeof this.intervals === 'object' ? this.intervals : null;
  }

  mayBeBest(system: number): boolean {
    return this.sure?.mayBeFirst[system] === 1;
  }

  measure(measure: number): void {
    const { splitting, weighting } = this.recipe;
    const { levels, splits } = this.graded.measures[measure];
    const kept = splitting.by !== 'thresholds' && (splitting.by !== 'manual' || splits !== null);
    const level = levels.includes(splitting.level) ? splitting.level : 'two';
    const equal: Splitting = { ...splitting, ...(kept ? {} : { by: 'equal', marks: [] }), level };
    this.recipe = { measure, splitting: equal, weighting };
  }

  split(change: Partial<Splitting>): void {
    const splitting = { ...this.recipe.splitting, ...change };
    const { weights } = this.recipe.weighting;
    const fits = typeof weights === 'string' || weights.length === splitting.count;
    const weighting: Weighting = fits ? this.recipe.weighting : { ...this.recipe.weighting, weights: 'linear' };
    this.recipe = { ...this.recipe, splitting, weighting };
  }

  /** Split so many times by a way; by hand begins where splits ended. */
  splitBy(by: Splitting['by']): void {
    const { splitting } = this.recipe;
    const count = Math.min(splitting.count, MOST_SPLITS);
    if (by === 'manual') this.split({ by, marks: [], count: this.measured.splits?.names.length ?? count });
    else if (by !== 'thresholds') this.split({ by, marks: [], count });
    else
      this.split({
        by,
        marks: this.#marks((splitting.count === count ? this.boundaries : null) ?? this.#evenly(count)),
        count,
      });
  }

  count(count: number): void {
    const wanted = Math.min(Math.max(Math.round(count) || 2, 2), MOST_SPLITS);
    const { by } = this.recipe.splitting;
    this.split({ count: wanted, by: by === 'thresholds' || by === 'manual' ? 'equal' : by, marks: [] });
  }

  weigh(change: Partial<Weighting>): void {
    this.recipe = { ...this.recipe, weighting: { ...this.recipe.weighting, ...change } };
  }

  answers(name: 'reward' | 'penalty', number: number): void {
    const plain = (factor: Factor): Factor => ({ number: factor.number, power: 0 });
    const { reward, penalty } = this.recipe.weighting;
    if (Number.isFinite(number))
      this.weigh({ reward: plain(reward), penalty: plain(penalty), [name]: { number, power: 0 } });
  }

  /** Let a split weigh something by hand. */
  weighSplit(split: number, weight: number): void {
    const weights = [...splitWeights(this.recipe.weighting, this.recipe.splitting.count)];
    weights[split] = Math.max(Number(weight.toPrecision(4)), 0);
    this.weigh({ weights });
  }

  /** Move a boundary, counted from the easy end, to a difficulty; splits are then by hand. */
  move(boundary: number, to: number): void {
    if (this.boundaries === null) return;
    const { span } = this;
    this.#set(moved(this.boundaries, boundary, rounded(to, span), span));
  }

  /** Move a boundary over so many instances, towards hard ones. */
  step(boundary: number, steps: number): void {
    if (this.boundaries === null) return;
    const to = stepped(this.#different, this.boundaries[boundary], this.measured.hard === 'high' ? steps : -steps);
    this.#set(moved(this.boundaries, boundary, to, this.span));
  }

  #set(marks: readonly number[]): void {
    this.split({ by: 'thresholds', marks, count: marks.length + 1 });
  }

  #marks(fromEasy: readonly number[]): number[] {
    const marks = fromEasy.map((mark) => Number(mark.toPrecision(12))).sort((one, other) => one - other);
    return marks.every((mark, at) => at === 0 || mark > marks[at - 1]) ? marks : this.#evenly(marks.length + 1);
  }

  #evenly(count: number): number[] {
    const [low, high] = this.span;
    return Array.from({ length: count - 1 }, (_, at) => rounded(low + ((at + 1) * (high - low)) / count, this.span));
  }

  #answer(recipe: Recipe): Customized | string {
    try {
      return this.#customizer.customize(recipe);
    } catch (error) {
      if (error instanceof Impossible) return error.message;
      throw error;
    }
  }

  #sorted(measure: number, system: number): Float64Array {
    const own = this.graded.measures[measure].own ? system : 0;
    const values = this.#customizer
      .tasks(measure)
      .flatMap((task) => [...task.values[measure].subarray(own * task.instances, (own + 1) * task.instances)]);
    return Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort();
  }
}
