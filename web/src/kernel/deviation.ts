/** How replicates vary, as `podium.ranking.deviation`. Samples are row-major, systems × replicates. */

export interface Samples {
  readonly values: Float64Array;
  readonly systems: number;
  readonly replicates: number;
}

export function row(samples: Samples, system: number): Float64Array {
  return samples.values.subarray(system * samples.replicates, (system + 1) * samples.replicates);
}

/** Those of some numbers that there are. */
function present(own: Float64Array): Float64Array {
  return own.includes(NaN) ? own.filter((value) => !Number.isNaN(value)) : own;
}

/** Departures of every replicate from the mean of its system; NaN is left out. */
export function centred(samples: Samples): Samples {
  const values = new Float64Array(samples.values.length);
  for (let system = 0; system < samples.systems; system += 1) {
    const own = row(samples, system);
    let sum = 0;
    const known = present(own);
    for (const value of known) sum += value;
    const [mean, first] = [sum / known.length, system * samples.replicates];
    for (let replicate = 0; replicate < own.length; replicate += 1) values[first + replicate] = own[replicate] - mean;
  }
  return { ...samples, values };
}

/** Standard deviation of every system; NaN where fewer than two replicates have it. */
export function deviations(departures: Samples): Float64Array {
  return each(departures, (own) => (own.length > 1 ? Math.sqrt(product(own, own) / (own.length - 1)) : NaN));
}

/** Third central moment of every system in cubed standard deviations; 0 of a constant. */
export function skewness(departures: Samples): Float64Array {
  return each(departures, (own) => {
    const deviation = Math.sqrt(product(own, own) / own.length);
    return deviation > 0 ? cubes(own) / own.length / deviation ** 3 : 0;
  });
}

function each(samples: Samples, number: (own: Float64Array) => number): Float64Array {
  return Float64Array.from({ length: samples.systems }, (_, system) => number(present(row(samples, system))));
}

function cubes(own: Float64Array): number {
  let sum = 0;
  for (const value of own) sum += value * value * value;
  return sum;
}

/** Row-major systems × systems: standard deviation of the difference of each system from each other. */
export function errorsOfDifferences(departures: Samples): Float64Array {
  const { systems, replicates } = departures;
  if (departures.values.includes(NaN)) return errorsWithGaps(departures);
  const covariance = products(departures.values, systems);
  const variance = new Float64Array(systems);
  for (let system = 0, cell = 0; system < systems; cell += systems - system, system += 1)
    variance[system] = covariance[cell] / (replicates - 1);
  const errors = new Float64Array(systems * systems);
  for (let one = 0, cell = 0; one < systems; one += 1) {
    cell += 1;
    for (let other = one + 1; other < systems; other += 1, cell += 1) {
      const total = variance[one] + variance[other];
      let square = total - (2 / (replicates - 1)) * covariance[cell];
      if (square <= 1e-6 * total) square = ofDifference(row(departures, one), row(departures, other)); // little is left
      errors[one * systems + other] = errors[other * systems + one] = Math.sqrt(Math.max(square, 0));
    }
  }
  return errors;
}

/** Sums of the products of each row with itself and those below it: four sums at once, which do not wait for each other. */
export function products(rows: Float64Array, systems: number): Float64Array {
  const found = new Float64Array((systems * (systems + 1)) / 2);
  const length = rows.length / systems;
  let cell = 0;
  for (let left = 0; left < rows.length; left += length) {
    let right = left;
    for (; right + 3 * length < rows.length; right += 4 * length) {
      let [first, second, third, fourth] = [0, 0, 0, 0];
      for (let at = 0; at < length; at += 1) {
        const own = rows[left + at];
        first += own * rows[right + at];
        second += own * rows[right + length + at];
        third += own * rows[right + 2 * length + at];
        fourth += own * rows[right + 3 * length + at];
      }
      found[cell++] = first;
      found[cell++] = second;
      found[cell++] = third;
      found[cell++] = fourth;
    }
    for (; right < rows.length; right += length)
      found[cell++] = product(rows.subarray(left, left + length), rows.subarray(right, right + length));
  }
  return found;
}

function product(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += left[at] * right[at];
  return sum;
}

/** Variance of the difference of two rows that are centred. */
function ofDifference(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] - right[index]) ** 2;
  return sum / (left.length - 1);
}

/** The same where replicates lack systems: of those that have both. */
function errorsWithGaps(departures: Samples): Float64Array {
  const { systems } = departures;
  const errors = new Float64Array(systems * systems);
  for (let one = 0; one < systems; one += 1) {
    const left = row(departures, one);
    for (let other = one + 1; other < systems; other += 1) {
      const right = row(departures, other);
      const apart = { values: left.map((value, at) => value - right[at]), systems: 1, replicates: left.length };
      errors[one * systems + other] = errors[other * systems + one] = deviations(centred(apart))[0];
    }
  }
  return errors;
}
