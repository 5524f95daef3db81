/** Where things stand on the board: widths of columns, heights of rows, and which rows are in view. */

import { paper } from './browser.svelte';
import { MediaQuery } from 'svelte/reactivity';

interface Size {
  readonly systems: number;
  /** Width of the longest name. */
  readonly name: number;
  /** Of tasks and groups. */
  readonly columns: number;
  /** Whether scores are missing; and whether it is counted under how many weightings a system wins. */
  readonly holes: boolean;
  readonly counted: boolean;
}

/** Rows beyond the view that are kept ready. */
const BEYOND = 8;

/** How wide the board is on paper, which browsers fit to the page. */
const PAPER = 1100;

/** Widths of what always stays: rank, change, tier and score. */
const FIXED = 48 + 34 + 38 + 56;

/** Widths between which names have what is left, and intervals. */
const NAMES = [160, 420] as const;
const INTERVALS = [110, 460] as const;

/** Widths of a cell: the least, that in which a number has room, and the most. */
const CELLS = [20, 34, 44] as const;

/** Systems up to which cells have numbers. */
const NUMBERED = 40;

/** Rows by which the ranks on the axis of intervals change while a reader scrolls. */
const STEP = 5;

/** On a card, room for rank and change at the left of a name and its interval. */
const CARD_LEFT = 70;

export class Layout {
  /** 0 until it is known; nothing is drawn before. */
  readonly width: number = $derived.by(() => (paper.printing ? PAPER : this.#screen));
  #screen = $state(0);
  /** Pixels of the heading, which stays at the top. */
  covered = $state(0);
  readonly #rows = new RowsInView(BEYOND);
  readonly #size: () => Size;
  /** Whether rows are cards, of two lines, and weights stand in a sheet. */
  readonly #narrow = new MediaQuery('max-width: 700px');

  /** Whether a window is so low, as at 200%, that help and room give way to rows. */
  readonly #low = new MediaQuery('max-height: 560px');

  readonly row: number = $derived.by(() => {
    const { systems } = this.#size();
    if (this.phone) return 41;
    if (this.low) return 22;
    return systems <= 6 ? 36 : systems <= 40 ? 32 : 20;
  });
  /** Room for lines from old rows to new ones. */
  readonly slope: number = $derived(this.width >= 800 ? 40 : 0);
  readonly #free: number = $derived(this.width - FIXED - this.slope);
  readonly bar: number = $derived(this.width >= 1080 ? 100 : 0);
  /** Under how many weightings a system wins. */
  readonly first: number = $derived.by(() => (this.width >= 1080 && this.#size().counted ? 64 : 0));
  /** On how much a system was run, or a gap. */
  readonly coverage: number = $derived.by(() => (this.width >= 800 && this.#size().holes ? 56 : 12));
  /** Room for names, intervals and cells. */
  readonly #shared: number = $derived(this.#free - this.bar - this.first - this.coverage);
  /** As long as the longest name, as far as cells keep room for numbers. */
  readonly name: number = $derived.by(() => {
    const { name, columns, systems } = this.#size();
    const cells = columns * (systems > NUMBERED ? CELLS[0] : CELLS[1]);
    const left = this.#shared - this.#leastInterval - Math.min(cells, 0.5 * this.#shared);
    return Math.min(Math.max(NAMES[0], Math.min(name + 16, left)), NAMES[1]);
  });
  readonly #leastInterval: number = $derived(within(0.2 * this.#free, INTERVALS[0], 260));
  readonly interval: number = $derived.by(() => {
    const left = this.#shared - this.name - CELLS[2] * this.#size().columns;
    return this.phone ? this.width - CARD_LEFT : within(left, this.#leastInterval, INTERVALS[1]);
  });
  readonly #room: number = $derived.by(() => this.#shared - this.name - this.interval);
  readonly cell: number = $derived.by(() => within(Math.floor(this.#room / this.#size().columns), CELLS[0], CELLS[2]));
  /** Width of all cells of a row, and of those that have room; the rest is reached by scrolling. */
  readonly cells: number = $derived.by(() => this.cell * this.#size().columns);
  readonly seen: number = $derived.by(() => Math.max(Math.min(this.cells, this.#room), Math.min(this.cells, 120)));
  #left = $state(0);
  readonly columnsInView: { readonly first: number; readonly last: number } = $derived.by(() => ({
    first: Math.max(0, Math.floor(this.left / this.cell) - 2),
    last: Math.min(this.#size().columns, Math.ceil((this.left + this.seen) / this.cell) + 2),
  }));
  readonly columns: string = $derived.by(() =>
    this.phone
      ? `${CARD_LEFT - 30}px 30px minmax(0, 1fr) 56px`
      : `${48 + this.slope}px 34px ${this.name}px ${this.interval}px 38px ${this.bar}px 56px ${this.first}px ${this.coverage}px ${this.seen}px`,
  );
  /** Whether cells have room for numbers. */
  readonly numbered: boolean = $derived.by(() => this.cell >= 27 && this.#size().systems <= NUMBERED);
  /** Places that are seen, from the first to the one after the last. */
  readonly firstSeen: number = $derived.by(() => STEP * Math.floor(this.#rows.seen(this.row)[0] / STEP));
  readonly lastSeen: number = $derived.by(() => STEP * Math.ceil(this.#rows.seen(this.row)[1] / STEP));

  /** How far the reader has scrolled to the right, as far as there is anything. */
  get left(): number {
    return Math.min(this.#left, this.cells - this.seen);
  }

  set left(wanted: number) {
    this.#left = Math.min(Math.max(wanted, 0), this.cells - this.seen);
  }

  constructor(size: () => Size) {
    this.#size = size;
  }

  get phone(): boolean {
    return this.#narrow.current && !paper.printing;
  }

  get low(): boolean {
    return this.#low.current && !paper.printing;
  }

  /** Pixels of a line of a name, as for letters of 12 px; those of cards are larger. */
  get nameRoom(): number {
    return this.phone ? 0.82 * (this.width - CARD_LEFT - 76) : this.name - 14;
  }

  /** The height of what shows a rank and its interval. */
  get lane(): number {
    return this.phone ? 16 : this.row;
  }

  /** Take note of how wide the board is on the screen. */
  measure(width: number): void {
    this.#screen = width;
  }

  /** Take note of where the reader has scrolled to. */
  look(body: HTMLElement, heading: Element | null | undefined): void {
    this.#rows.look(body, heading);
  }

  /** The place of the column whose cell is so many pixels from where the cells begin. */
  columnAt(x: number): number {
    return Math.min(Math.max(Math.floor((x + this.left) / this.cell), 0), this.#size().columns - 1);
  }

  /** Scroll the tasks by some pixels, as far as there are any. */
  scroll(by: number): void {
    this.left += by;
  }

  inView(shown: readonly number[]): readonly number[] {
    return this.#rows.of(shown, this.row).map(({ row }) => row);
  }
}

function within(size: number, least: number, most: number): number {
  return Math.min(Math.max(size, least), most);
}

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
    const [seen, last] = this.seen(height);
    const first = Math.max(0, seen - this.#beyond);
    return rows.slice(first, last + this.#beyond).map((row, index) => ({ row, place: first + index }));
  }
}
