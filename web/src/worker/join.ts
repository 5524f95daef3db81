/** A table of instances with systems that a reader adds, counted off the main thread. */

import { withInstances } from '../kernel/recount';
import type { Tallies } from '../kernel/tallies';
import type { Bundle } from '../transport/bundle';
import { type Added, instancesOf, type TaskSize } from '../transport/instances';
import { type PairCounts, pairsOf } from '../transport/own';

export interface Join {
  readonly bundle: Bundle;
  readonly tallies: Tallies;
  readonly tasks: readonly TaskSize[];
  readonly added: Added;
}

export interface Joined {
  readonly tallies: Tallies;
  /** Of each task: pairs of systems of which one was added. */
  readonly pairs: readonly PairCounts[];
}

export function asked({ data: { bundle, tallies, tasks, added } }: MessageEvent<Join>): void {
  const table = instancesOf(bundle, tallies.systems, tasks, added).counted();
  const joined = withInstances(tallies, table);
  const pairs = table.map(({ scores }) => pairsOf(scores, joined.systems, tallies.systems, tallies.reach));
  const { varying } = joined;
  const drawn = varying?.units === 'instances' ? [varying.shares, varying.means] : [];
  const buffers = drawn.flatMap((stepped) => (stepped === null ? [] : [stepped.departures.buffer]));
  self.postMessage({ tallies: joined, pairs } satisfies Joined, { transfer: buffers });
}
