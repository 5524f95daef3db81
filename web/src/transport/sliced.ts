/** What `podium.slices` found, as `podium.webpage.sliced` wrote it. */

import type { Table } from '../text/table';
import type { ShownTable } from './server';

export interface Sliced {
  /** Method and size, in words. */
  readonly title: string;
  readonly verdict: readonly string[];
  readonly notes: readonly string[];
  /** How to read the tables. */
  readonly explain: readonly string[];
  /** The best first. */
  readonly systems: readonly string[];
  readonly slices: readonly string[];
  /** Systems × slices: how much better than elsewhere, from −1 to 1, pale if it may be chance; null if not known. */
  readonly shades: readonly (readonly (number | null)[])[];
  readonly leads: readonly (readonly boolean[])[];
  readonly texts: readonly (readonly string[])[];
  readonly said: readonly (readonly string[])[];
  readonly tables: readonly ShownTable[];
  /** As `podium slices` has them, with all digits. */
  readonly rows: Table;
  readonly command: string;
}
