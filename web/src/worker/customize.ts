/** Intervals by difficulty off the main thread: the data come once, then recipes. */

import { Customizer, type Graded, type Recipe } from '../kernel/customize';
import { resampled } from '../kernel/resample';

export interface Order {
  readonly graded?: Graded;
  readonly recipe: Recipe;
  readonly confidence: number;
  readonly replicates: number;
  readonly number: number;
}

let customizer: Customizer | undefined;

export function asked({ data: order }: MessageEvent<Order>): void {
  if (order.graded !== undefined) customizer = new Customizer(order.graded);
  if (customizer === undefined) return;
  const found = resampled(customizer.graded, order.recipe, customizer.customize(order.recipe), order);
  self.postMessage({ number: order.number, found });
}
