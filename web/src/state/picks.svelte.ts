/** Lines of systems, of which a reader points at one, or picks one. */

/** What happens to a system at a step. */
export interface Mark {
  readonly kind: 'entered' | 'left' | 'overtook';
  readonly step: number;
}

/** The line of a system through columns of ranks. Rows are counted from 1. */
export interface RankLine {
  readonly system: number;
  /** What stands beside it, and what is said of it. */
  readonly label: string;
  readonly said: string;
  /** By column, 0 for none; and the rows where these stand. */
  readonly ranks: readonly number[];
  readonly rows: readonly number[];
  /** Rows of its names; 0 where none is at the left. */
  readonly left: number;
  readonly right: number;
  readonly colour: string;
  readonly bold: boolean;
  /** Rows of both ends of the intervals of its ranks, 0 for none. */
  readonly band: { readonly low: readonly number[]; readonly high: readonly number[] } | null;
  readonly marks: readonly Mark[];
}

export class Picks {
  readonly names: readonly string[];
  /** The system that is picked, and the one that is pointed at; −1 for none. */
  picked = $state(-1);
  hot = $state(-1);

  constructor(names: readonly string[]) {
    this.names = names;
  }

  /** The system that stands out: the one pointed at, or else the one picked. */
  get lit(): number {
    return this.hot >= 0 ? this.hot : this.picked;
  }

  /** Name of the picked system; empty for none. */
  get name(): string {
    return this.names[this.picked] ?? '';
  }

  /** Pick a system by its name; none where there is no such. */
  pick(name: string): void {
    this.picked = this.names.indexOf(name);
  }

  toggle(system: number): void {
    this.picked = this.picked === system ? -1 : system;
  }
}
