/** All views of a page, the one that is shown, and the address of what it shows. */

import { AgreementBoard } from './agreement.svelte';
import { BattlesBoard } from './battles.svelte';
import { CompareBoard } from './compare.svelte';
import { CostBoard } from './cost.svelte';
import { DataBoard } from './data.svelte';
import { DifficultyBoard } from './difficulty.svelte';
import { HistoryBoard } from './history.svelte';
import { Leaderboard } from './leaderboard.svelte';
import { absent, follow, linkTo } from './link';
import { type Address, PLAIN, type Visited } from '../text/address';
import { difficultyOf } from '../transport/graded';
import { type Added, type Instances, instancesOf } from '../transport/instances';
import type { PageData } from '../transport/page-data';
import { has, read } from '../transport/part';
import type { Sliced, Stressed } from '../transport/told';

export class Boards {
  readonly title: string;
  readonly leaderboard: Leaderboard;
  /** Null until its view is opened, or where the page holds no difficulty. */
  difficulty: DifficultyBoard | null = $state.raw(null);
  /** Null where no two methods rank these systems. */
  readonly agreement: AgreementBoard | null;
  /** Null where it was not asked for. */
  readonly stressed: Stressed | null;
  /** Null until its view is opened, or where it was not asked for. */
  sliced: Sliced | null = $state.raw(null);
  readonly history: HistoryBoard | null;
  readonly data: DataBoard;
  /** Null where a table holds no battles. */
  readonly battles: BattlesBoard | null;
  /** Null where no number is known of systems. */
  readonly cost: CostBoard | null;
  /** Null until its view is opened, or where there is one system. */
  compare: CompareBoard | null = $state.raw(null);
  /** Names of the views that this page has. */
  readonly views: readonly string[];
  view = $state(PLAIN.view);
  /** What the last link asked for that is not here, and whether it was made with other data. */
  absent: readonly string[] = $state.raw([]);
  otherData = $state(false);
  readonly #data: PageData;
  /** The page whose single instances these are, with the systems that were added; and as it came. */
  readonly #page: PageData;
  readonly #came: PageData;
  readonly #added: Added;
  readonly #visited: () => Visited;
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing is drawn from it
  readonly #opened = new Map<string, Promise<void>>();
  #held: Instances | null = null;
  /** What the last address holds, for views that are opened later. */
  #wanted: Address = PLAIN;

  /** `visited` is what links carry besides; of what was asked of the page alone, `page` has the answers. */
  constructor(
    data: PageData,
    page: PageData,
    visited: () => Visited,
    harden: ((hard: boolean) => void) | null,
    added: Added,
  ) {
    this.#data = data;
    [this.#came, this.#added] = [page, added];
    // single instances are those of the whole page
    this.#page = visited().hard ? page : data;
    this.#visited = visited;
    this.title = data.title;
    const { hard } = visited();
    this.leaderboard = new Leaderboard(
      data,
      has('instances') && !hard ? async () => (await this.#instances()).counted() : null,
    );
    this.leaderboard.hard = harden && { chosen: hard, by: page.hard, choose: harden };
    this.agreement = page.agreed === null ? null : new AgreementBoard(page.agreed);
    this.stressed = page.stressed;
    this.history = page.versioned === null ? null : new HistoryBoard(page.versioned);
    const { battles } = data.shares;
    this.battles = battles === null ? null : new BattlesBoard(this.leaderboard, battles);
    this.data = new DataBoard(data, this.leaderboard);
    this.cost = data.properties.some(({ kind }) => kind === 'number') ? new CostBoard(this.leaderboard) : null;
    this.views = [
      PLAIN.view,
      ...(has('difficulty') ? ['difficulty'] : []),
      ...(battles !== null ? ['battles'] : data.systems.length < 2 ? [] : ['compare']),
      ...(this.cost === null ? [] : ['cost']),
      ...(has('slices') ? ['slices'] : []),
      ...(this.agreement === null ? [] : ['agreement']),
      ...(this.stressed === null ? [] : ['robustness']),
      ...(this.history === null ? [] : ['history']),
      'data',
    ];
  }

  /** What a link to what is shown holds. */
  get address(): Address {
    const recipe = this.view === 'difficulty' ? (this.difficulty?.text ?? this.#wanted.recipe) : '';
    const pair = this.view === 'compare' ? (this.compare?.names ?? this.#wanted.pair) : PLAIN.pair;
    const waiting = this.view === 'difficulty' ? this.#wanted.picked : '';
    const picking = { agreement: this.agreement, difficulty: this.difficulty, history: this.history, cost: this.cost }[
      this.view
    ];
    const picked = picking?.name ?? waiting;
    return { ...linkTo(this.leaderboard), view: this.view, recipe, pair, picked, ...this.#visited() };
  }

  /** Whether all is there that the address depends on. */
  get complete(): boolean {
    const { view, difficulty, compare } = this;
    return (view !== 'difficulty' || difficulty !== null) && (view !== 'compare' || compare !== null);
  }

  /** Show what an address holds, as far as this page has it. */
  show(address: Address): void {
    this.view = this.views.includes(address.view) ? address.view : PLAIN.view;
    this.absent = [
      ...absent('view', [address.view], this.views),
      ...follow(address, this.leaderboard),
      ...absent('preset', address.hard && !has('hard') ? ['hard instances'] : [], []),
      ...absent('system', address.pair.filter(Boolean), this.#data.systems),
    ];
    this.otherData = address.data !== '' && address.data !== this.#data.digest;
    this.#wanted = address;
    this.#showDifficulty();
    this.#showCompared();
    const picking = { agreement: this.agreement, history: this.history, cost: this.cost }[this.view];
    if (address.picked !== '') picking?.pick(address.picked);
  }

  #showDifficulty(): void {
    const { view, recipe, picked } = this.#wanted;
    if (recipe !== '' && this.difficulty?.show(recipe) === false)
      this.absent = [...this.absent, ...absent('recipe', [recipe], [])];
    if (view === 'difficulty' && picked !== '') this.difficulty?.pick(picked);
  }

  #showCompared(): void {
    if (this.#wanted.view === 'compare') this.compare?.show(this.#wanted);
  }

  /** Read what a view needs besides the leaderboard, once; after a failure again. */
  async open(view: string): Promise<void> {
    const reading = this.#opened.get(view) ?? this.#read(view);
    this.#opened.set(view, reading);
    await reading.catch((error: unknown) => {
      this.#opened.delete(view);
      throw error;
    });
  }

  async #read(view: string): Promise<void> {
    if (view === 'difficulty') {
      const held = difficultyOf(await read('difficulty'), this.#came.systems.length, this.#came.tasks);
      this.difficulty = new DifficultyBoard(this.#came, held);
      this.#showDifficulty();
    } else if (view === 'slices') {
      this.sliced = (await read('slices')).content as Sliced;
    } else if (view === 'compare') {
      const held = has('instances') ? await this.#instances() : null;
      this.compare = new CompareBoard(this.#page, held, this.leaderboard);
      this.#showCompared();
    }
  }

  /** Scores of instances, read once. */
  async #instances(): Promise<Instances> {
    this.#held ??= instancesOf(await read('instances'), this.#came.systems.length, this.#page.tasks, this.#added);
    return this.#held;
  }

  /** Show two systems side by side; without the first, the one that the second has to beat. */
  async match(control: number | null, treatment: number): Promise<void> {
    if (this.battles !== null) {
      this.battles.match(control, treatment);
      this.view = 'battles';
      return;
    }
    await this.open('compare');
    if (this.compare === null) return;
    if (control === null) this.compare.challenge(treatment);
    else this.compare.choose(control, treatment);
    this.compare.arrived = true;
    this.view = 'compare';
  }
}
