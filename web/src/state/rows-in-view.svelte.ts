/** Which of many rows below each other are in view, so that only these are drawn. */

import { paper } from './paper.svelte';

export class RowsInView {
  #top = $state(0);
  #height = $state(globalThis.innerHeight);
  /** What of the screen a heading covers, which stays at its top. */
  #covered = $state(0);
  readonly #beyond: number;

  /** Rows beyond the view that are kept ready. */
  constructor(beyond = 20) {
    this.#beyond = beyond;
  }

  /** Take note of where the reader has scrolled to; rows begin at the top of an element. */
  look(rows: Element, heading?: Element | null): void {
    this.#top = -rows.getBoundingClientRect().top;
    this.#covered = Math.max(heading?.getBoundingClientRect().bottom ?? 0, 0);
    this.#height = globalThis.innerHeight;
  }

  /** The first place that is seen, and the one after the last, of rows of one height. */
  seen(height: number): readonly [number, number] {
    const [first, last] = [this.#top + this.#covered, this.#top + this.#height];
    return [Math.max(0, Math.round(first / height)), Math.round(last / height)];
  }

  /** The rows that are drawn, of so many of one height. */
  of<Row>(rows: readonly Row[], height: number): { readonly row: Row; readonly place: number }[] {
    if (paper.printing) return rows.map((row, place) => ({ row, place }));
    const first = Math.max(0, Math.floor(this.#top / height) - this.#beyond);
    const last = Math.ceil((this.#top + this.#height) / height) + this.#beyond;
    return rows.slice(first, last).map((row, index) => ({ row, place: first + index }));
  }
}
