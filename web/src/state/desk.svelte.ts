/** What a server has been sent, and the jobs it does. */

import {
  ask,
  addressOf,
  cancelJob,
  deleteAnswer,
  deleteUpload,
  isOver,
  listJobs,
  listUploads,
  listVerbs,
  sendFile,
  type Job,
  type Upload,
} from '../transport/server';
import { askedOf, type Asked } from './answer.svelte';
import { Question } from './question.svelte';

/** Milliseconds between two looks at jobs that are not over. */
const PAUSE = 400;

export class Desk {
  uploads: readonly Upload[] = $state.raw([]);
  jobs: readonly Job[] = $state.raw([]);
  /** What went wrong last; empty where nothing did. */
  error = $state('');
  /** Names of files that are being sent. */
  sending: readonly string[] = $state.raw([]);
  /** Jobs with something to show: tables that have no page of their own say so when they are opened. */
  readonly answers: readonly Job[] = $derived(this.jobs.filter((job) => !isBarePage(job) || job.state !== 'failed'));
  readonly busy: boolean = $derived(this.jobs.some((job) => !isOver(job)));
  /** What is to be asked about a table; null where the page is enough. */
  asking: Question | null = $state.raw(null);
  /** The page that is shown as soon as it is done. */
  #wanted = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Look at everything; and again as long as there are jobs that are not over. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#try(async () => {
      [this.uploads, this.jobs] = await Promise.all([listUploads(), listJobs()]);
    });
    const wanted = this.jobs.find(({ number }) => number === this.#wanted);
    if (wanted?.state === 'done') location.assign(addressOf(wanted));
    if (wanted?.state === 'failed')
      this.error = `No page of its own: ${wanted.error}\nThe file stays here: options of Ask can take it.`;
    if (this.busy) this.#timer = setTimeout(() => void this.look(), PAUSE);
    else this.#wanted = '';
  }

  /** Send files, and open the page of the last one. */
  async send(files: readonly File[]): Promise<void> {
    this.error = '';
    this.sending = files.map(({ name }) => name);
    let last: Upload | undefined;
    await this.#try(async () => {
      for (const file of files) last = await sendFile(file);
    });
    this.sending = [];
    await (last === undefined ? this.look() : this.open(last));
  }

  /** Open the page of an upload, when it is made. */
  async open({ number }: Upload): Promise<void> {
    this.error = '';
    await this.#try(async () => {
      this.#wanted = (await ask('page', [number])).number;
    });
    await this.look();
  }

  /** Let the reader choose what to ask about an upload. */
  async question({ number }: Upload): Promise<void> {
    this.error = '';
    await this.#try(async () => {
      this.asking = new Question(await listVerbs(), this.uploads, { verb: 'rank', uploads: [number], options: {} });
    });
  }

  async cancel({ number }: Job): Promise<void> {
    await this.#try(() => cancelJob(number));
    await this.look();
  }

  async removeAnswer({ number }: Job): Promise<void> {
    await this.#try(() => deleteAnswer(number));
    await this.look();
  }

  async remove({ number }: Upload): Promise<void> {
    await this.#try(() => deleteUpload(number));
    this.asking = null; // it may be about what is gone
    await this.look();
  }

  asked(job: Job): Asked {
    return askedOf(job, this.uploads);
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
  }
}

/** Whether it is the page that a table has without being asked otherwise. */
function isBarePage({ verb, options }: Job): boolean {
  return verb === 'page' && Object.keys(options).length === 0;
}
