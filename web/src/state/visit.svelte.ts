/** What a reader has before them: the table of a page, with the systems that they add, which stay on this computer. */

import type { Address, Visited } from '../text/address';
import { namesOf } from '../transport/instances';
import { withOwn, withOwnInstances, type Own } from '../transport/own';
import { pageData, type PageData } from '../transport/page-data';
import { has, read } from '../transport/part';
import { openingView } from '../transport/saved';
import type { Words } from '../read/words';
import type { Join, Joined } from '../worker/join';
import type { Read } from '../worker/read';
import { started } from '../worker/worker';
import { Boards } from './boards.svelte';
import { Preview, typed } from './preview.svelte';

const NOTHING: Own = { own: [], ownTasks: [] };

export class Visit {
  /** As it came. */
  readonly page: PageData;
  /** The same of the harder half of the instances; null as long as that is not chosen. */
  #hard: PageData | null = null;
  /** Null as long as there are no systems. */
  boards: Boards | null = $state.raw(null);
  /** Systems that were added. */
  own: Own = $state.raw(NOTHING);
  /** Whether links and saved pages carry them. */
  carried = $state(false);
  /** The file that is being read; empty for none. */
  reading = $state('');
  /** What was understood of it, or why it was not read, and the command that says more. */
  preview: Preview | null = $state.raw(null);
  refused: { readonly why: string; readonly command: string } | null = $state.raw(null);
  #worker: Worker | null = null;
  /** Scores of systems that were added on single instances, by name and task. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing is drawn from it
  readonly #instances = new Map<string, readonly Float64Array[]>();
  /** What ranks the same; empty if nothing does. */
  #command: string;

  constructor(page: PageData) {
    this.page = page;
    this.#command = page.tasks.length === 0 ? `podium rank --replicates ${page.replicates}` : page.command;
    this.show(openingView());
  }

  /** Show what an address holds, as far as it is here. */
  show(address: Address): void {
    const { own, ownTasks } = address;
    const carried =
      own.length > 0 && this.page.shares.instances === null && (this.page.tasks.length > 0 || ownTasks.length > 0);
    this.carried = carried;
    if (carried && JSON.stringify([own, ownTasks]) !== JSON.stringify(Object.values(this.own))) {
      this.#command = '';
      this.#have({ own: own.filter(([name]) => !this.page.systems.includes(name)), ownTasks }, address);
    } else if (this.boards === null) this.#have(this.own, address.hard ? { ...address, data: '' } : address);
    else if (address.hard === (this.#hard !== null)) return this.boards.show(address);
    if (address.hard !== (this.#hard !== null)) void this.harden(address.hard, address);
  }

  /** Let only the harder half of the instances count, or all. */
  async harden(hard: boolean, address?: Address): Promise<void> {
    if (!has('hard') || this.own.own.length > 0) return;
    this.#hard = hard ? { ...pageData(await read('hard')), hard: this.page.hard, holds: this.page.holds } : null;
    const here = this.boards?.address;
    this.#have(this.own, address ?? (here && { ...here, data: '' }));
  }

  /** Whether systems can be added: single instances are to be ranked with those of the others. */
  get joins(): boolean {
    return this.page.shares.instances === null || (has('instances') && this.page.shares.battles === null);
  }

  /** Read a file, and show what was understood before anything changes. */
  async read(files: FileList | null): Promise<void> {
    const file = files?.[0];
    if (file === undefined) return;
    this.cancel();
    if (files !== null && files.length > 1) return this.#refuse('Drop one file at a time', file);
    if (!this.joins)
      return this.#refuse(
        `This page counts single instances, and needs those of the other systems (--instances) to rank ${file.name} with them`,
        file,
      );
    this.reading = file.name;
    const data = this.boards?.leaderboard.data ?? this.page;
    const sizes = this.page.tasks.map(({ instances }) => instances);
    const instances = data.shares.instances === null ? null : { ...namesOf(await read('instances')), sizes };
    const words = (await read('words')).content as Words;
    if (this.reading !== file.name) return;
    this.#worker = started('read');
    this.#worker.onmessage = ({ data: read }: MessageEvent<Read>): void => {
      this.cancel();
      const preview = typeof read === 'string' ? null : new Preview(file.name, read, data);
      if (typeof read === 'string') this.#refuse(`${file.name} is not read here: ${read}`, file);
      else if (preview?.fresh.length === 0) this.#refuse(`All systems of ${file.name} are here already`, file);
      else this.preview = preview;
    };
    this.#worker.postMessage({ file, words, known: data.tasks.map(({ name }) => name), instances });
  }

  /** Forget what was dropped. */
  cancel(): void {
    this.#worker?.terminate();
    this.#worker = this.preview = this.refused = null;
    this.reading = '';
  }

  /** Add what is previewed, in steps between which the page is painted. */
  async take(): Promise<void> {
    const { preview } = this;
    if (preview === null) return;
    const { own, ownTasks } = preview.own;
    const { systems, instances } = preview.found;
    if (instances !== undefined) for (const at of preview.fresh) this.#instances.set(systems[at], instances[at]);
    this.#command = preview.after(this.#command);
    this.cancel();
    await this.#join({ own: [...this.own.own, ...own], ownTasks: preview.free ? ownTasks : this.own.ownTasks });
  }

  /** Take a system out again. */
  async takeOut(name: string): Promise<void> {
    const own = this.own.own.filter(([other]) => other !== name);
    this.#command = own.length === 0 ? this.page.command : '';
    await this.#join(own.length === 0 ? NOTHING : { ...this.own, own });
  }

  /** Have other systems beside those of the page, unless they change meanwhile. */
  async #join(all: Own): Promise<void> {
    this.own = all;
    if (all === NOTHING) return this.#have(all, this.boards?.address); // at once: the page as it came
    await painted();
    const data = await this.#with(all);
    await painted();
    if (this.own === all) this.#have(all, this.boards?.address, data);
  }

  /** The page with systems; of instances a worker counts them. */
  async #with(all: Own): Promise<PageData> {
    const { page } = this;
    if (page.shares.instances === null) return withOwn(page, all, this.#command);
    const names = all.own.map(([name]) => name);
    const added = names.map((name) => this.#instances.get(name) ?? []);
    const tasks = page.tasks.map(({ instances, higherIsBetter }) => ({ instances, higherIsBetter }));
    const bundle = await read('instances');
    const worker = started('join');
    const joined = await new Promise<Joined>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<Joined>): void => resolve(data);
      worker.postMessage({ bundle, tallies: page.shares, tasks, added } satisfies Join);
    });
    worker.terminate();
    return withOwnInstances(page, names, added, joined, this.#command);
  }

  #refuse(why: string, file: File): void {
    this.refused = { why, command: `${this.page.command || 'podium rank'} ${typed(file.name)}` };
  }

  /** What a link carries. */
  #listed(): Visited {
    return { ...(this.carried ? this.own : NOTHING), hard: this.#hard !== null };
  }

  #have(own: Own, address = this.boards?.address, added?: PageData): void {
    this.boards?.leaderboard.close();
    this.own = own;
    if (own.own.length > 0) this.#hard = null;
    const data = own.own.length === 0 ? (this.#hard ?? this.page) : (added ?? withOwn(this.page, own, this.#command));
    const harden = has('hard') && own.own.length === 0 ? (hard: boolean): void => void this.harden(hard) : null;
    this.boards =
      data.systems.length === 0
        ? null
        : new Boards(
            data,
            this.page,
            () => this.#listed(),
            harden,
            own.own.map(([name]) => this.#instances.get(name) ?? []),
          );
    if (address !== undefined) this.boards?.show(address);
  }
}

/** Let the browser paint and take what is typed. */
async function painted(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
}
