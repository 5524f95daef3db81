/** What runs off the main thread: the script of the page itself, so that its code stands once, by the name of a worker. */

import { asked as customize } from './customize';
import { asked as join } from './join';
import { asked as rank } from './rank';
import { asked as read } from './read';
import { asked as weigh } from './weigh';

const DOES = { customize, join, rank, read, weigh };

type Name = keyof typeof DOES;

/** All of the script, see vite.config.ts. */
declare const podium: () => void;

/** Where it is as a file. */
let address = '';

export function started(name: Name): Worker {
  address ||= URL.createObjectURL(new Blob([`(${podium.toString()})()`]));
  return new Worker(address, { name });
}

/** Do what the name of this worker says; false on the main thread. */
export function works(): boolean {
  const isPage = 'document' in globalThis;
  if (!isPage) self.onmessage = DOES[self.name as Name];
  return !isPage;
}
