/** Whether the page is being printed: then all rows are drawn, not those in view. */

import { flushSync } from 'svelte';

class Paper {
  printing = $state(false);

  listen(): void {
    // what is drawn only after the event is not printed
    globalThis.addEventListener('beforeprint', () => flushSync(() => (this.printing = true)));
    globalThis.addEventListener('afterprint', () => (this.printing = false));
  }
}

export const paper = new Paper();
