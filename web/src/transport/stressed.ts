/** What `podium.stress` found, as `podium.webpage.stressed` wrote it. */

export interface Stress {
  readonly name: string;
  /** What its strength means. */
  readonly axis: string;
  readonly strengths: readonly number[];
  /** Where the strengths stand on an axis: to scale, or at equal distances where they span decades. */
  readonly places: readonly number[];
  /** Methods × strengths: mean share of the first place that is kept, and its interval. */
  readonly mean: readonly (readonly number[])[];
  readonly low: readonly (readonly number[])[];
  readonly high: readonly (readonly number[])[];
  /** By method the weakest strength at which less than half is kept; null for none. */
  readonly breakdown: readonly (number | null)[];
}

export interface Stressed {
  /** Whether the first place is kept, in a sentence. */
  readonly headline: string;
  readonly verdict: readonly string[];
  readonly notes: readonly string[];
  readonly methods: readonly string[];
  /** By method, who is first without stress. */
  readonly leaders: readonly (readonly string[])[];
  readonly repeats: number;
  /** How often each strength was tried, in words. */
  readonly tried: string;
  readonly stresses: readonly Stress[];
  readonly command: string;
}
