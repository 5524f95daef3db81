/** What a view shows as Python code. */

import type { Recipe } from '../kernel/customize';
import type { Measure } from '../kernel/paired';
import type { Factor } from '../kernel/split';
import { isShare, type Way } from '../kernel/way';
import type { View } from './command';
import { factorText } from './recipe';

/** Code that makes `scores`, `difficulty`, `confidences`, `robustness`, `slices` and `history`, as far as it is known. */
export type Sources = Readonly<
  Partial<Record<'scores' | 'difficulty' | 'confidences' | 'robustness' | 'slices' | 'history', string>>
>;

/** Tasks by their weights; those of 1 need not be said. */
type Weighed = Pick<View, 'tasks' | 'weights'>;

/** How intervals are made. */
interface Resampled {
  readonly confidence: number;
  readonly replicates: number;
  readonly seed: number;
}

/** The same with weights of tasks, for questions that a reader cannot ask with others. */
export function asGiven(sources: Sources, weighed: Weighed): Sources {
  const lines = weighing(weighed).map(([name, code]) => `${name} = ${code}`);
  return sources.scores === undefined || sources.scores === ''
    ? sources
    : { ...sources, scores: [sources.scores, ...lines].join('\n') };
}

/** Code that prints the same ranking. */
export function rankInPython(sources: Sources, view: View, sampled: Resampled): string {
  const level = view.way !== null && isShare(view.way) ? `:${view.way}` : '';
  const how =
    view.imputed === true
      ? [text(`borda${level}:missing=imputed`)]
      : view.way === null
        ? []
        : [isShare(view.way) ? `level=${text(view.way)}` : method(view.way)];
  return program(
    sources,
    ['scores'],
    [...leaving(view.out), ...weighing(view), call('ranking', 'rank', 'scores', [...how, ...resampling(sampled)])],
  );
}

function method(way: Way): string {
  return way === 'bradley-terry-prior' ? "podium.MethodSpec('bradley-terry', prior=1)" : text(way);
}

/** Code that prints the same comparison. */
export function compareInPython(
  sources: Sources,
  weighed: Weighed,
  [control, treatment]: readonly [string, string],
  measure: Measure,
  confidence: number,
): string {
  const told = [`control=${text(control)}`, `treatment=${text(treatment)}`];
  if (measure !== 'md') told.push(`effect=${text(measure)}`);
  told.push(`confidence_level=${confidence}`);
  return program(sources, ['scores'], [...weighing(weighed), call('comparison', 'compare', 'scores', told)]);
}

/** Code that prints the same table by difficulty. */
export function customizeInPython(
  sources: Sources,
  recipe: Recipe,
  measured: { readonly name: string; readonly own: boolean; readonly column: string },
  sampled: Resampled,
): string {
  const { by, count, marks, level } = recipe.splitting;
  const { weights, reward, penalty } = recipe.weighting;
  const splits = by === 'manual' ? text(measured.column) : by === 'thresholds' ? list(marks) : String(count);
  const rule = typeof weights === 'string' ? text(weights) : list(weights);
  const given = measured.own ? 'confidences' : 'difficulty';
  const told = [
    given,
    ...(measured.own ? [] : [`measure=${text(measured.name)}`]),
    `splits=podium.Splitting(${splits}, ${text(by)}, level=${text(level)})`,
    `split_weights=podium.Weighting(${rule}, ${factor(reward)}, ${factor(penalty)})`,
    ...resampling(sampled),
  ];
  return program(sources, ['scores', given], [call('customized', 'customize', 'scores', told)]);
}

/** Code that prints what a question about the table alone answers. */
export function askInPython(sources: Sources, question: 'agree' | 'info' | 'pairwise'): string {
  return program(sources, ['scores'], [call('answer', question, 'scores', [])]);
}

/** Code that prints the robustness that is shown. */
export function stressInPython(sources: Sources): string {
  return program(sources, ['scores', 'robustness'], [['robustness', '']]);
}

/** Code that prints who leads where. */
export function slicesInPython(sources: Sources): string {
  return program(sources, ['scores', 'slices'], [['slices', '']]);
}

/** Code that prints the history that is shown. */
export function historyInPython(sources: Sources): string {
  return program(sources, ['history'], [['history', '']]);
}

/** What is computed last is printed; nothing where the sources are not all known. */
function program(sources: Sources, needed: readonly (keyof Sources)[], steps: readonly [string, string][]): string {
  const made = needed.map((name) => sources[name] ?? '');
  if (made.includes('')) return '';
  const [last] = steps[steps.length - 1];
  const lines = steps.flatMap(([name, code]) => (code === '' ? [] : [`${name} = ${code}`]));
  return ['import podium', '', ...made, ...lines, `print(${last})`, ''].join('\n');
}

function call(name: string, question: string, of: string, told: readonly string[]): [string, string] {
  return [name, `podium.${question}(${[of, ...told].join(', ')})`];
}

/** Systems that are left out. */
function leaving(out: readonly string[]): [string, string][] {
  const patterns = out.map((name) => text(`!${name}`));
  return out.length === 0 ? [] : [['scores', `scores.select(systems=[${patterns.join(', ')}])`]];
}

function weighing({ tasks, weights }: Weighed): [string, string][] {
  const said = tasks.flatMap((task, index) =>
    weights[index] === 1 ? [] : [`${text(task)}: ${String(weights[index])}`],
  );
  return said.length === 0 ? [] : [['scores', `scores.with_task_weights({${said.join(', ')}})`]];
}

function resampling({ confidence, replicates, seed }: Resampled): string[] {
  return [`confidence_level=${confidence}`, `n_resamples=${replicates}`, `rng=${seed}`];
}

function text(value: string): string {
  return JSON.stringify(value);
}

function list(numbers: readonly number[]): string {
  return `[${numbers.join(', ')}]`;
}

function factor(of: Factor): string {
  return of.power === 0 ? String(of.number) : text(factorText(of));
}
