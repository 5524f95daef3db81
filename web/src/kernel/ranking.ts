/** From what each task says of the systems, and how much it weighs, to a ranking. */

import { isStrength, strengthStanding } from './bradley-terry';
import { standingBy, type Standing } from './standing';
import type { Tallies } from './tallies';
import { surenessOf, type Sureness } from './uncertainty';
import { said, type Way } from './way';

export interface Ranking extends Standing, Sureness {}

/** Scores and ranks by a way and weights of tasks. */
export function standingOf(tallies: Tallies, way: Way, weights: Float64Array): Standing {
  if (tallies.battles !== null && isStrength(way)) return strengthStanding(tallies, tallies.battles, way, weights);
  return standingBy(said(tallies, way), weights);
}

/** The same, and how sure that is. */
export function rankBy(tallies: Tallies, way: Way, weights: Float64Array): Ranking {
  const standing = standingOf(tallies, way, weights);
  return { ...standing, ...surenessOf(tallies, way, weights, standing) };
}
