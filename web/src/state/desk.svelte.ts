/** What a server has been sent, the jobs it does, their answers, and questions as a form asks them. */

import { fieldsOf, type Heading, headingsOf, inALine, optionsOf, type Verb } from '../text/question';
import {
  addressOf,
  ask,
  cancelJob,
  deleteAnswer,
  deleteUpload,
  isOver,
  type Job,
  listJobs,
  listUploads,
  listVerbs,
  readJob,
  readShown,
  sendFile,
  type Shown,
  type Upload,
} from '../transport/server';

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

const NOTHING = { tables: '', options: '' };

export class Answer {
  readonly number: string;
  job: Job | null = $state.raw(null);
  shown: Shown | null = $state.raw(null);
  uploads: readonly Upload[] = $state.raw([]);
  /** The same question, to be asked otherwise; null until it is known. */
  question: Question | null = $state.raw(null);
  /** Why there is nothing to see; empty where there is. */
  error = $state('');
  readonly asked: Asked = $derived(this.job === null ? NOTHING : askedOf(this.job, this.uploads));

  constructor(number: string) {
    this.number = number;
  }

  /** Look how far it is, until it is over. */
  async look(): Promise<void> {
    try {
      const [job, uploads] = await Promise.all([readJob(this.number), listUploads()]);
      if (job.state === 'done' && job.verb === 'page') {
        location.replace(addressOf(job));
        return;
      }
      if (job.state === 'done') this.shown = await readShown(this.number);
      [this.job, this.uploads] = [job, uploads];
      if (isOver(job)) this.question = new Question(await listVerbs(), uploads, job);
      else setTimeout(() => void this.look(), PAUSE);
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
  }

  async cancel(): Promise<void> {
    this.job = await cancelJob(this.number);
  }
}

/** What was asked: about which tables, and how; all by name. */
export interface Asked {
  readonly tables: string;
  readonly options: string;
}

/** What a job was asked; a file that an option names is no table that it is about. */
export function askedOf({ uploads: numbers, options }: Job, uploads: readonly Upload[]): Asked {
  const files = uploads.filter(({ number }) => numbers.includes(number));
  const nameOf = (value: string): string => files.find(({ number }) => number === value)?.name ?? value;
  const named = Object.values(options);
  const tables = numbers.filter((number) => !named.includes(number));
  return { tables: tables.map(nameOf).join(', '), options: inALine(options, nameOf) };
}

export class Question {
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly tables: readonly Upload[];
  verb: string = $state('');
  /** Numbers of the tables that are asked about. */
  chosen: string[] = $state([]);
  fields: Record<string, string> = $state({});
  /** Why it cannot be asked; empty where nothing is known. */
  error = $state('');
  busy = $state(false);
  readonly #asked: Verb = $derived.by(() => this.verbs[this.verb]);
  readonly meaning: string = $derived(this.#asked.meaning);
  readonly headings: readonly Heading[] = $derived(headingsOf(this.#asked));
  readonly required: readonly string[] = $derived(this.#asked.options.required);
  /** Whether tables are its sources; otherwise options name them. */
  readonly takesTables: boolean = $derived(this.#asked.takes_scores);

  constructor(
    verbs: Readonly<Record<string, Verb>>,
    tables: readonly Upload[],
    about: Pick<Job, 'verb' | 'uploads' | 'options'>,
  ) {
    this.verbs = verbs;
    this.tables = tables;
    this.verb = about.verb in verbs ? about.verb : Object.keys(verbs)[0];
    this.fields = { ...fieldsOf(about.options) };
    const named = Object.values(this.fields);
    this.chosen = about.uploads.filter((upload) => !named.includes(upload));
  }

  /** Ask, and show how far the answer is. */
  async ask(): Promise<void> {
    this.busy = true;
    this.error = '';
    try {
      const options = optionsOf(this.#asked, this.fields);
      const named = this.tables.map(({ number }) => number).filter((upload) => Object.values(options).includes(upload));
      const sources = this.takesTables ? this.chosen.filter((upload) => !named.includes(upload)) : [];
      location.assign(addressOf(await ask(this.verb, [...sources, ...named], options)));
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
    this.busy = false;
  }
}
