/** What a server answers, see `podium.server.app`. */

import type { Value, Verb } from '../text/question';

export interface Upload {
  readonly number: string;
  readonly name: string;
  readonly size: number;
}

export interface Job {
  readonly number: string;
  readonly verb: string;
  readonly uploads: readonly string[];
  readonly options: Readonly<Record<string, Value>>;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';
  readonly error: string;
  readonly done: number | null;
  readonly total: number | null;
}

/** An answer as people read it. */
export interface Shown {
  readonly title: string;
  /** Whom the first sentence is about, where it does not say so. */
  readonly about: string;
  readonly verdict: readonly string[];
  readonly tables: readonly ShownTable[];
  readonly notes: readonly string[];
  readonly explain: readonly string[];
}

export interface ShownTable {
  readonly caption: string;
  /** How many rows at the end sum up the others. */
  readonly foot: number;
  readonly head: readonly { readonly name: string; readonly right: boolean; readonly label: boolean }[];
  readonly rows: readonly (readonly string[])[];
}

export const listVerbs = (): Promise<Record<string, Verb>> => request('GET', '/api/verbs');

export const listUploads = (): Promise<Upload[]> => request('GET', '/api/uploads');

export const listJobs = (): Promise<Job[]> => request('GET', '/api/jobs');

export const readJob = (number: string): Promise<Job> => request('GET', `/api/jobs/${number}`);

export const readShown = (number: string): Promise<Shown> => request('GET', `/api/jobs/${number}/view`);

export const cancelJob = (number: string): Promise<Job> => request('DELETE', `/api/jobs/${number}`);

export const deleteAnswer = (number: string): Promise<null> => request('DELETE', `/api/jobs/${number}/answer`);

export const sendFile = (file: File): Promise<Upload> =>
  request('POST', `/api/uploads?name=${encodeURIComponent(file.name)}`, file);

export const deleteUpload = (number: string): Promise<null> => request('DELETE', `/api/uploads/${number}`);

/** Ask for the page of an upload, or for any other answer. */
export const ask = (verb: string, uploads: readonly string[], options: Record<string, Value> = {}): Promise<Job> =>
  request('POST', `/api/verbs/${encodeURIComponent(verb)}`, JSON.stringify({ uploads, options }));

/** Whether nothing more will happen to a job. */
export const isOver = ({ state }: Job): boolean => state !== 'waiting' && state !== 'running';

/** Where an answer is shown, also later: a page that is made, or else the answer or how far it is. */
export const addressOf = ({ number, verb, state }: Job): string =>
  verb === 'page' && state === 'done' ? `/boards/${number}` : `/answers/${number}`;

export const fileOf = ({ number }: Job, kind: 'answer' | 'rows'): string => `/api/jobs/${number}/${kind}`;

/** Whether a server made this page, and has a first page to go back to. */
export const hasHome = (): boolean => document.querySelector('script[src]') !== null && location.pathname !== '/';

async function request<Answer>(method: string, address: string, body: BodyInit | null = null): Promise<Answer> {
  const headers: HeadersInit = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
  const response = await fetch(address, { method, body, headers }).catch(() => {
    throw new Error('The server does not answer. Start it again: it keeps what it has.');
  });
  const text = await response.text();
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (!response.ok) throw new Error((answer as { error: { message: string } }).error.message);
  return answer as Answer;
}
