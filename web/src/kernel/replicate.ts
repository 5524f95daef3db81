/** Scores in every replicate. */

import type { Samples } from './deviation';
import type { Redrawn, Said } from './way';

/** Scores by some weights; NaN where a replicate says nothing of a system. */
export function samplesOf(said: Said, again: Redrawn, given: Float64Array): Samples {
  const { ballots, systems, tasks } = said;
  const weights = ballots === null ? given : given.map((weight, task) => weight * ballots[task]);
  const weighing = Array.from({ length: tasks }, (_, task) => task).filter((task) => weights[task] !== 0);
  const values = new Float64Array(systems * again.replicates);
  const whole = new Float64Array(again.replicates);
  if (!again.gaps) for (const task of weighing) addMasses(whole, weights[task], again, task);
  for (let system = 0; system < systems; system += 1) {
    const own = values.subarray(system * again.replicates, (system + 1) * again.replicates);
    if (again.gaps) whole.fill(0);
    const fours = again.gaps || again.values !== null ? 0 : weighing.length - (weighing.length % 4);
    for (let at = 0; at < fours; at += 4) addFour(own, system, weighing.slice(at, at + 4), weights, said, again);
    for (const task of weighing.slice(fours))
      addValues(own, whole, { system, task, weight: weights[task] }, said, again);
    for (let at = 0; at < own.length; at += 1) own[at] /= whole[at];
  }
  return { values, systems, replicates: again.replicates };
}

function addMasses(whole: Float64Array, weight: number, { drawn, replicates }: Redrawn, task: number): void {
  for (let at = 0; at < replicates; at += 1) whole[at] += weight * drawn[task * replicates + at];
}

/** Add what four tasks say of a system, in their order, which takes a third of the time of one after the other. */
function addFour(
  own: Float64Array,
  system: number,
  some: readonly number[],
  weights: Float64Array,
  { values, tasks }: Said,
  { drawn }: Redrawn,
): void {
  const [a, b, c, d] = some.map((task) => weights[task] * values[system * tasks + task]);
  const [ofA, ofB, ofC, ofD] = some.map((task) => task * own.length);
  for (let at = 0; at < own.length; at += 1)
    own[at] = own[at] + a * drawn[ofA + at] + b * drawn[ofB + at] + c * drawn[ofC + at] + d * drawn[ofD + at];
}

/** Add what a task says of a system; where there are gaps, also what that weighs. */
function addValues(
  own: Float64Array,
  whole: Float64Array,
  { system, task, weight }: { readonly system: number; readonly task: number; readonly weight: number },
  said: Said,
  { values, drawn, always, gaps }: Redrawn,
): void {
  const cell = system * said.tasks + task;
  const [to, of] = [cell * own.length, task * own.length];
  if (gaps) {
    for (let at = 0; at < own.length; at += 1) {
      const value =
        values === null ? said.values[cell] : values.centre[cell] + values.steps[cell] * values.departures[to + at];
      if (Number.isNaN(value)) continue;
      own[at] += weight * drawn[of + at] * value;
      whole[at] += weight * drawn[of + at];
    }
  } else if (values === null) {
    const value = weight * said.values[cell];
    for (let at = 0; at < own.length; at += 1) own[at] += value * drawn[of + at];
  } else {
    const [centre, step] = [weight * values.centre[cell], weight * values.steps[cell]];
    // nearly all tasks are drawn always, which takes half of the time
    if (always[task]) add(own, centre, step, values.departures, to);
    else addDrawn(own, centre, step, values.departures, to, drawn, of);
  }
}

function add(
  sum: Float64Array,
  centre: number,
  step: number,
  departures: Int8Array | Float64Array,
  from: number,
): void {
  for (let at = 0; at < sum.length; at += 1) sum[at] += centre + step * departures[from + at];
}

function addDrawn(
  sum: Float64Array,
  centre: number,
  step: number,
  departures: Int8Array | Float64Array,
  from: number,
  drawn: ArrayLike<number>,
  of: number,
): void {
  for (let at = 0; at < sum.length; at += 1) sum[at] += drawn[of + at] * (centre + step * departures[from + at]);
}

/** Only replicates that say something of a system; others draw nothing that weighs. */
export function ranked(samples: Samples): Samples {
  const { values, systems, replicates } = samples;
  const lost = new Uint8Array(replicates).fill(1);
  values.forEach((value, at) => {
    if (!Number.isNaN(value)) lost[at % replicates] = 0;
  });
  if (!lost.includes(1)) return samples;
  const left = values.filter((_, at) => lost[at % replicates] === 0);
  return { values: left, systems, replicates: left.length / systems };
}
