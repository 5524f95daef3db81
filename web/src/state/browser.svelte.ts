/** What the browser tells and keeps: colours, printing, and the steps of a reader in its history, back and forth in which undo goes. */

import { flushSync } from 'svelte';

/** Fields in which undoing is about what was typed. */
const TYPED = 'input:not([type=range]):not([type=checkbox]), textarea';

class Steps {
  /** How many steps can be undone, and how many there are with those that were. */
  done: number = $state(0);
  #last = 0;
  /** Whether the pointer is down: what it drags is no step before it is let go. */
  held = $state(false);

  listen(): void {
    this.#last = this.done = numbered();
    addEventListener('pointerdown', () => (this.held = true), true);
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (this.held = false), true);
    addEventListener('popstate', () => (this.done = numbered()));
    document.addEventListener('keydown', (event) => this.#press(event));
  }

  /** Write what is shown into the address, as a step of its own or in place of the last one. */
  take(hash: string, isStep: boolean): void {
    const address = hash === '' ? location.pathname + location.search : hash;
    if (!isStep) return history.replaceState(this.done, '', address);
    this.#last = this.done += 1;
    history.pushState(this.done, '', address);
  }

  undo(): void {
    if (this.done > 0) history.back();
  }

  #press(event: KeyboardEvent): void {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !['y', 'z'].includes(key)) return;
    if (event.target instanceof Element && event.target.matches(TYPED)) return;
    event.preventDefault();
    if (key === 'z' && !event.shiftKey) this.undo();
    else if (this.done < this.#last) history.forward();
  }
}

/** The number of the step that the browser is at. */
function numbered(): number {
  const held: unknown = history.state;
  return typeof held === 'number' ? held : 0;
}

export const steps = new Steps();

class Paper {
  printing = $state(false);

  listen(): void {
    // what is drawn only after the event is not printed
    globalThis.addEventListener('beforeprint', () => flushSync(() => (this.printing = true)));
    globalThis.addEventListener('afterprint', () => (this.printing = false));
  }
}

export const paper = new Paper();

class Theme {
  dark = $state(false);

  listen(): void {
    const wished = matchMedia('(prefers-color-scheme: dark)');
    this.#turnTo(wished.matches);
    wished.addEventListener('change', ({ matches }) => this.#turnTo(matches));
  }

  turn(): void {
    this.#turnTo(!this.dark);
  }

  #turnTo(dark: boolean): void {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}

export const theme = new Theme();
