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
  const alike = again.gaps || again.values !== null ? 0 : weighing.length - (weighing.length % 4);
  const together = alike === 0 ? 0 : systems - (systems % 4);
  for (let system = 0; system < together; system += 4)
    for (let at = 0; at < alike; at += 4) addSixteen(values, system, weighing.slice(at, at + 4), weights, said, again);
  for (let system = 0; system < systems; system += 1) {
    const own = values.subarray(system * again.replicates, (system + 1) * again.replicates);
    if (again.gaps) whole.fill(0);
    for (const task of weighing.slice(system < together ? alike : 0))
      addValues(own, whole, { system, task, weight: weights[task] }, said, again);
    for (let at = 0; at < own.length; at += 1) own[at] /= whole[at];
  }
  return { values, systems, replicates: again.replicates };
}

function addMasses(whole: Float64Array, weight: number, { drawn, replicates }: Redrawn, task: number): void {
  for (let at = 0; at < replicates; at += 1) whole[at] += weight * drawn[task * replicates + at];
}

/** Add what four tasks say of four systems, in the order of tasks: a fifth of the time of one after the other. */
function addSixteen(
  sums: Float64Array,
  system: number,
  some: readonly number[],
  weights: Float64Array,
  { values, tasks }: Said,
  { drawn, replicates }: Redrawn,
): void {
  const own = [0, 1, 2, 3].map((next) => some.map((task) => weights[task] * values[(system + next) * tasks + task]));
  const [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]] = own;
  const [ofFirst, ofSecond, ofThird, ofFourth] = some.map((task) => task * replicates);
  const [one, two, three, four] = [0, 1, 2, 3].map((next) =>
    sums.subarray((system + next) * replicates, (system + next + 1) * replicates),
  );
  for (let at = 0; at < replicates; at += 1) {
    const first = drawn[ofFirst + at];
    const second = drawn[ofSecond + at];
    const third = drawn[ofThird + at];
    const fourth = drawn[ofFourth + at];
    one[at] = one[at] + a * first + b * second + c * third + d * fourth;
    two[at] = two[at] + e * first + f * second + g * third + h * fourth;
    three[at] = three[at] + i * first + j * second + k * third + l * fourth;
    four[at] = four[at] + m * first + n * second + o * third + p * fourth;
  }
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
