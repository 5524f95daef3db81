/** A dropped file, read off the main thread. */

import { cellsOf, Unread } from '../read/cells';
import { recognised, type Found, type KnownInstances } from '../read/recognise';
import { learn, type Words } from '../read/words';

interface Dropped {
  readonly file: File;
  readonly words: Words;
  /** The tasks of the page; none if it has no data. */
  readonly known: readonly string[];
  /** Their instances; null where each task has one score per system. */
  readonly instances: KnownInstances | null;
}

/** What it holds, or why it is not read. */
export type Read = Found | string;

export function asked({ data: { file, words, known, instances } }: MessageEvent<Dropped>): void {
  learn(words);
  void cellsOf(file)
    .then((cells): Read => recognised(cells, known, instances))
    .catch((error: unknown): Read => (error instanceof Unread ? error.message : 'this browser cannot read it'))
    .then((read) => self.postMessage(read));
}
