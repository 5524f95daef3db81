/** The leaderboard as it is asked: weights, order and search; and its answers. */

import { isStrength } from '../kernel/bradley-terry';
import { areSame, type Members, replaced, weighing, type Weights, weightsOf } from '../kernel/group';
import type { Intervals } from '../kernel/interval';
import { bestFirst } from '../kernel/place';
import { beatenEverywhereBy } from '../kernel/program';
import { Recount } from '../kernel/recount';
import { partsOf, type Standing } from '../kernel/standing';
import { among, spread, standingOfAll, waysAmong } from '../kernel/subset';
import type { Tallies } from '../kernel/tallies';
import { type Doubt, standingOf } from '../kernel/uncertainty';
import { unitsBy } from '../kernel/unit';
import { isShare, isVarying, type Said, said, type Units, type Way, WAYS, waysOf } from '../kernel/way';
import { type Band, Columns, type Sort } from './columns.svelte';
import { Properties } from './properties.svelte';
import { type Question, type ReadTable, Uncertainty } from './uncertainty.svelte';
import { Weighing } from './weighing.svelte';
import type { View } from '../text/command';
import { holds } from '../text/name';
import { firstText, scoreTextOf } from '../text/number';
import type { Lift } from '../text/sentence';
import type { Made, PageData, Preset } from '../transport/page-data';
import { firstBy } from '../transport/told';

/** A way to rank with weights. */
interface Recipe {
  readonly way: Way;
  readonly chosen: Weights;
}

/** How many of the largest given weights a bar shows; more is typed. */
const HEIGHT = 4;

/** From so many systems on only far moves are red, by this share of all ranks. */
const MANY = 41;
const FAR = 1 / 25;

export class Leaderboard {
  readonly data: PageData;
  /** The ways to rank, and that of `podium rank` without options. */
  readonly ways: readonly Way[];
  readonly usual: Way;
  /** What tasks weigh without any change. */
  readonly given: readonly number[];
  readonly asGiven: Weights;
  /** What a bar of full height weighs. */
  readonly most: number;
  readonly mostOfGroups = HEIGHT;
  /** Whether only the harder half of the instances counts, by a difficulty; null if that is no choice. */
  hard: { readonly chosen: boolean; readonly by: string; readonly choose: (hard: boolean) => void } | null = null;
  readonly columns: Columns;
  readonly properties: Properties;
  /** Weights of tasks and of groups. */
  chosen: Weights = $state.raw({ tasks: [], groups: [] });
  /** What tasks weigh by both. */
  readonly weights: readonly number[] = $derived.by(() => weightsOf(this.chosen, this.#members));
  way: Way = $state('balanced');
  /** Whether missing scores are to count by a model, which is made for what the page opens with. */
  wantsModel = $state(false);
  /** Systems that the reader does not want. */
  unwanted: readonly number[] = $state.raw([]);
  /** Weights that the reader has saved. */
  saved: readonly Preset[] = $state.raw([]);
  /** Weights with a name: those that the page came with, and those of the reader. */
  readonly presets: readonly Preset[] = $derived.by(() => [...this.data.presets, ...this.saved]);
  /** The name of the weights that are chosen; empty if they have none. */
  readonly preset: string = $derived.by(
    () => this.presets.find(({ weights }) => areSame({ ...this.asGiven, tasks: weights }, this.chosen))?.name ?? '',
  );
  /** What ranks are compared with. */
  pinned: Recipe = $state.raw({ way: 'balanced', chosen: { tasks: [], groups: [] } });
  query = $state('');
  /** The least share of scores of the systems that are shown. */
  least = $state(0);
  /** Whether the box that says how to read the board is open. */
  explained = $state(true);
  sort: Sort = $state.raw({ by: 'rank' });

  /** Systems that are left out, as far as the others can be ranked without them. */
  readonly out: readonly number[] = $derived.by(() => (this.#ranksSome(this.way) ? this.unwanted : []));
  /** Systems that are ranked. */
  readonly kept: readonly number[] = $derived.by(() =>
    Array.from(this.data.systems.keys()).filter((system) => !this.out.includes(system)),
  );
  readonly tallies: Tallies = $derived.by(() => {
    const { shares } = this.data;
    if (this.out.length === 0) return shares;
    const table = shares.pairs === null ? this.uncertainty.table : null; // who beats whom is quicker
    return among(shares, this.kept, table && new Recount(table, shares, this.kept));
  });
  /** What tasks say of these by the way that is chosen. */
  readonly said: Said = $derived.by(() => said(this.tallies, this.way));
  /** Whether the page has the ranking by the model for what is shown; and that ranking if it is wanted. */
  readonly hasModel: boolean = $derived.by(() => this.data.modelled !== null && this.#asOpened);
  readonly made: Made | null = $derived.by(() => (this.wantsModel && this.hasModel ? this.data.modelled : null));
  readonly ranking: Standing = $derived.by(() => this.made?.standing ?? this.#standing(this.way, this.weights));
  readonly reference: Standing = $derived.by(() =>
    this.changed ? this.#standing(this.#referred, this.#pinnedWeights) : this.ranking,
  );
  /** Row-major systems × tasks: shares of others beaten, among the systems that are ranked where that is known. */
  readonly shares: Float64Array = $derived.by(() => {
    const { shares } = this.tallies;
    const all = this.data.shares.shares;
    return this.out.length === 0 || Number.isNaN(shares[0]) ? all : spread(shares, this.kept, Float64Array.from(all));
  });
  /** By the way of the reference, where the page has it for these systems. */
  readonly #referred: Way = $derived.by(() =>
    this.out.length === 0 || this.#ranksSome(this.pinned.way) ? this.pinned.way : this.way,
  );
  /** Whether systems, way and weights are those of the page without a link. */
  readonly #asOpened: boolean = $derived.by(() => this.way === this.usual && !this.reweighed && this.out.length === 0);
  /** Whether weights are not as given, and whether ranks are compared with others. */
  readonly reweighed: boolean = $derived.by(() => !areSame(this.chosen, this.asGiven));
  readonly changed: boolean = $derived(
    this.made !== null ||
      this.way !== this.pinned.way ||
      this.weights.some((weight, task) => weight !== this.#pinnedWeights[task]),
  );
  /** Whether these are not those of the page as it opened. */
  readonly isPinned: boolean = $derived.by(
    () => this.pinned.way !== this.usual || !areSame(this.pinned.chosen, this.asGiven),
  );
  /** Of all tasks together. */
  readonly wholeWeight: number = $derived(this.weights.reduce((sum, weight) => sum + weight, 0));
  /** One letter a task, 1 where it weighs nothing: text, so that what depends on it stays as long as it does. */
  readonly silent: string = $derived(this.weights.map((weight) => (weight === 0 ? '1' : '0')).join(''));
  /** Whether any task weighs on which some system has a score. */
  readonly weighted: boolean = $derived(
    this.weights.some((weight, task) => weight > 0 && this.data.shares.scored[task]),
  );
  /** Scores at the ends of a bar: means may be of any size, so there the lowest and the highest that are seen. */
  readonly axis: readonly [number, number] = $derived.by(() => {
    if (isShare(this.way)) return [0, 1];
    const seen = this.data.systems.flatMap((_, system) => this.ends(system) ?? [this.score(system)]);
    const all = seen.filter((score) => !Number.isNaN(score));
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const edge = (high - low) / 40 || 1;
    return [low - edge, high + edge];
  });
  /** How scores of this way are written. */
  readonly scoreText: (score: number) => string = $derived(scoreTextOf(this.way, this.ranking.score));
  /** For each ranked system the share of the instances of tasks with weight on which it has a score; 0 for others. */
  readonly coverages: readonly number[] = $derived.by(() => {
    const { tasks, systems, scored } = this.data;
    const weighs = Array.from(tasks.keys()).filter((task) => this.silent[task] === '0');
    const all = weighs.reduce((sum, task) => sum + tasks[task].instances, 0);
    return systems.map((_, system) => {
      let own = 0;
      if (!this.out.includes(system)) for (const task of weighs) own += scored[system * tasks.length + task];
      return own / all;
    });
  });
  /** The share of scores that are missing there. */
  readonly missing: number = $derived.by(
    () => 1 - this.coverages.reduce((sum, share) => sum + share, 0) / this.kept.length,
  );
  /** Systems in the order of the ranking. */
  readonly order: readonly number[] = $derived.by(() => bestFirst(this.ranking.place, this.data.systems));
  /** Systems that are shown, in the order that is wanted. */
  readonly shown: readonly number[] = $derived.by(() => {
    const some = this.#sorted().filter((system) => !this.out.includes(system) && this.#matches(system));
    return this.properties.folded(some, this.ranking.place);
  });
  /** Tiers below each other, with their first rows and how many they have; none while rows are in another order. */
  readonly bands: readonly Band[] = $derived.by(() => {
    const { intervals, uncertainty, sort, shown } = this;
    if (intervals === null || uncertainty.late || sort.by !== 'rank' || shown.length < this.kept.length) return [];
    const found: Band[] = [];
    shown.forEach((system, first) => {
      const [tier, last] = [intervals.tier[system], found.at(-1)];
      if (last?.tier === tier) last.size += 1;
      else found.push({ tier, first, size: 1 });
    });
    return found;
  });
  /** What intervals are asked of. */
  readonly question: Question = $derived.by(() => ({
    way: this.way,
    kept: this.kept,
    weights: this.weights,
    table: this.uncertainty.table,
  }));
  readonly uncertainty: Uncertainty;
  readonly weighing = new Weighing();
  /** Whether weights can be found that put a system on another rank: once weightings are counted. */
  readonly canLift: boolean = $derived.by(() => this.weighted && this.weighing.possible && this.uncertainty.known);
  /** Whether shares of all weightings are on their way. */
  readonly counting: boolean = $derived.by(() => this.weighing.possible && this.weighing.first === null);
  /** Whether no weights put another system first. */
  readonly firstAlone: boolean = $derived.by(
    () => this.weighing.first?.filter((share) => !Number.isNaN(share)).length === 1,
  );
  /** What was last wished for, and the weights after it. */
  #lifted: { readonly lift: Lift; readonly after: Weights } | null = $state.raw(null);
  /** The same, as long as weights are as it left them. */
  readonly lifted: Lift | null = $derived.by(() =>
    this.#lifted !== null && areSame(this.#lifted.after, this.chosen) ? this.#lifted.lift : null,
  );

  readonly #members: Members;
  readonly #pinnedWeights: readonly number[] = $derived.by(() => weightsOf(this.pinned.chosen, this.#members));

  /** `readTable` reads scores of instances; null if the page holds none. */
  constructor(data: PageData, readTable: ReadTable | null) {
    this.data = data;
    this.ways = waysOf(data.shares);
    this.usual = WAYS.find((way) => way === data.usual) ?? 'balanced';
    this.way = this.usual;
    this.given = data.tasks.map((task) => task.weight);
    this.most = HEIGHT * (Math.max(...this.given) || 1);
    this.#members = data.groups.map(({ tasks }) => tasks);
    this.chosen = this.asGiven = { tasks: this.given, groups: data.groups.map(() => 1) };
    this.pinned = { way: this.usual, chosen: this.asGiven };
    this.columns = new Columns(this);
    this.properties = new Properties(data);
    this.uncertainty = new Uncertainty(data.shares, () => this.question, readTable);
  }

  /** Intervals of what is shown, or of what was before until these come. */
  get intervals(): Intervals | null {
    return this.made === null ? this.uncertainty.latest : this.made.intervals;
  }

  /** Those of what is shown alone. */
  get current(): Intervals | null {
    return this.made === null ? this.uncertainty.current : this.made.intervals;
  }

  /** By how many ranks a system is from where it was; none where it or that has no rank. */
  moved(system: number): number {
    const [before, now] = [this.reference.rank[system], this.ranking.rank[system]];
    return before > 0 && now > 0 ? before - now : 0;
  }

  /** Whether it has moved far enough to be red: of many systems small moves are grey. */
  isFar(system: number): boolean {
    const ranked = this.kept.length;
    return Math.abs(this.moved(system)) >= (ranked < MANY ? 1 : ranked * FAR);
  }

  /** Systems that a model of the missing scores puts first; none where all count by it, or by weights that it lacks. */
  get modelled(): readonly string[] {
    const { agreed, imputed } = this.data;
    if (!imputed || agreed === null || this.made !== null || !this.#asOpened) return [];
    return firstBy(agreed, `borda:${this.usual}`);
  }

  /** Show what was hidden by a search or a filter. */
  showAll(): void {
    [this.query, this.least] = ['', 0];
    this.properties.clear();
  }

  /** Compare ranks with those of now, or with those of the page as it opened. */
  pin(now: boolean): void {
    this.pinned = now ? { way: this.way, chosen: this.chosen } : { way: this.usual, chosen: this.asGiven };
  }

  weigh(task: number, weight: number): void {
    this.chosen = { ...this.chosen, tasks: replaced(this.chosen.tasks, task, weight) };
  }

  weighGroup(group: number, weight: number): void {
    this.chosen = { ...this.chosen, groups: replaced(this.chosen.groups, group, weight) };
  }

  /** Take weights by their name; others as given. */
  weighBy(name: string): void {
    const preset = this.presets.find((one) => one.name === name);
    this.chosen = preset === undefined ? this.asGiven : { ...this.asGiven, tasks: preset.weights };
  }

  /** Save the weights under a name, in place of those that had it. */
  save(name: string): void {
    this.saved = [...this.saved.filter((one) => one.name !== name), { name, weights: this.weights }];
    this.weighBy(name);
  }

  /** Whether a system may be the best, as far as that is known: no other is better. */
  mayBeBest(system: number): boolean {
    return this.current?.mayBeFirst[system] === 1;
  }

  /** Put a system on a rank by the nearest weights that do, or find that none do. */
  async lift(system: number, rank: number): Promise<void> {
    const { way, chosen } = this;
    const [weights, before] = [[...this.weights], this.ranking.rank[system]];
    const found = await this.weighing.nearest({ system, rank }, weights);
    if (this.way !== way || !areSame(this.chosen, chosen)) return; // they have been changed meanwhile
    if (found.weights !== null) this.chosen = weighing(found.weights, chosen, this.#members);
    const { systems } = this.data;
    const beaten = rank > 1 ? -1 : this.#beatenBy(system);
    this.#lifted = {
      after: this.chosen,
      lift: {
        name: systems[system],
        rank,
        before,
        got: this.ranking.rank[system],
        moved: found.weights === null ? null : found.moved,
        proven: found.weights === null && found.proven,
        beatenBy: beaten < 0 ? null : systems[beaten],
      },
    };
  }

  /** What `podium rank` is to be asked. */
  get asked(): View {
    const { data, weights, way, usual } = this;
    const out = this.out.map((system) => data.systems[system]);
    const imputed = data.imputed && way !== 'mean' && this.made === null;
    const own = way === usual && isShare(way) ? null : way;
    return { tasks: data.tasks.map(({ name }) => name), weights, way: own, out, imputed };
  }

  /** What a bootstrap draws by these weights. */
  get units(): Units {
    return unitsBy(this.tallies, this.weights);
  }

  /** Whether the page holds what intervals need. */
  get varying(): boolean {
    const tallies = this.uncertainty.table === null ? this.tallies : this.data.shares; // of instances some vary as all do
    return this.made !== null || isVarying(tallies, this.way, this.units);
  }

  /** Whether the command has intervals that this page does not hold. */
  get elsewhere(): boolean {
    return (!this.varying && this.data.shares.varying !== null) || this.doubt === 'units';
  }

  /** What to know about intervals, or why there are none, as far as the page holds what they need. */
  get doubt(): Doubt {
    return this.made === null && this.varying && !this.uncertainty.stale ? this.uncertainty.doubt : null;
  }

  /** Whether some systems can be ranked without the others. */
  get canLeaveOut(): boolean {
    return this.uncertainty.canCount || this.#ranksSome(this.way);
  }

  leaveOut(system: number): void {
    if (this.canLeaveOut && this.kept.length > 2) this.unwanted = [...this.unwanted, system];
  }

  /** Whether the reader has added it. */
  isOwn(system: number): boolean {
    return system >= this.data.systems.length - this.data.own;
  }

  /** End what is counted. */
  close(): void {
    this.uncertainty.close();
    this.weighing.close();
  }

  takeBack(system: number): void {
    this.unwanted = this.unwanted.filter((other) => other !== system);
  }

  /** Under which share of all weightings a system is first, as far as that is counted. */
  firstText(system: number): string {
    if (this.made !== null) return ''; // weightings count missing scores as expected
    if (!this.counting) return firstText(this.weighing.first?.[system], this.firstAlone);
    const share = this.weighing.soFar?.[system] ?? 0;
    return share > 0 ? firstText(share, false) : '…';
  }

  /** What each task adds to the score of a system, and its share of the weight behind it. */
  parts(system: number): readonly { readonly part: number; readonly adds: number }[] {
    const at = this.kept.indexOf(system);
    const { tasks, values } = this.said;
    if (isStrength(this.way)) return this.data.tasks.map(() => ({ part: 0, adds: NaN }));
    return partsOf(this.said, this.weights, Math.max(at, 0)).map((part, task) => ({
      part,
      adds: part === 0 || at < 0 ? 0 : (this.lower ? -part : part) * values[at * tasks + task],
    }));
  }

  /** Whether a lower score is better, as of means where all tasks say so. */
  get lower(): boolean {
    return this.way === 'mean' && !this.data.tasks.some((task) => task.higherIsBetter);
  }

  /** The score of a system in the direction of the table; NaN where it has none. */
  score(system: number): number {
    return (this.lower ? -1 : 1) * this.ranking.score[system];
  }

  /** The interval of its score; null where there is none. */
  ends(system: number): readonly [number, number] | null {
    const found = this.intervals;
    if (found === null || Number.isNaN(found.low[system])) return null;
    return this.lower ? [-found.high[system], -found.low[system]] : [found.low[system], found.high[system]];
  }

  #ranksSome(way: Way): boolean {
    return this.uncertainty.table !== null || waysAmong(this.data.shares).includes(way);
  }

  #standing(way: Way, weights: readonly number[]): Standing {
    const found = standingOf(this.tallies, way, Float64Array.from(weights));
    return this.out.length === 0 ? found : standingOfAll(found, this.kept, this.data.systems.length);
  }

  /** A system that beats this one on every task; −1 where none does. */
  #beatenBy(system: number): number {
    const found = beatenEverywhereBy({ ...this.said, shares: this.said.values }, this.kept.indexOf(system));
    return found < 0 ? -1 : this.kept[found];
  }

  #sorted(): readonly number[] {
    const { sort, data, order } = this;
    if (sort.by === 'rank') return order;
    if (sort.by === 'name')
      return [...order].sort((one, other) => data.systems[one].localeCompare(data.systems[other]));
    if (sort.by === 'property') return this.properties.sorted(sort.name, order);
    const share = data.systems.map((_, system) => this.columns.share(sort.column, system));
    const last = (system: number): number => (Number.isNaN(share[system]) ? -1 : share[system]);
    return [...order].sort((one, other) => last(other) - last(one));
  }

  #matches(system: number): boolean {
    const { coverages, least, properties, data, query } = this;
    if (coverages[system] < least) return false; // without any weight there is none
    return properties.matches(system) && holds(data.systems[system], query);
  }
}
