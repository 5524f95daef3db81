/** From what each task says of the systems, and how much it weighs, to a ranking. */

import { standingBy, type Standing } from './standing';
import type { Tallies } from './tallies';
import { surenessOf, type Sureness } from './uncertainty';
import { said, type Way } from './way';

export interface Ranking extends Standing, Sureness {}

/** Rank by a way and weights of tasks. */
export function rankBy(tallies: Tallies, way: Way, weights: Float64Array): Ranking {
  const standing = standingBy(said(tallies, way), weights);
  return { ...standing, ...surenessOf(tallies, way, weights, standing) };
}
