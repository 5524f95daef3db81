/** What a table holds, by the names and kinds of its columns, by the rules of `podium.source.recognise`. */

import { Unread, type Cells } from './cells';
import * as name from './name';
import { commaOf, isMissing, isNumber, numbersIn } from './number';
import { rules } from './words';

interface FoundTask {
  readonly name: string;
  readonly higherIsBetter: boolean;
  /** Why it may be no task; empty where it is one. */
  readonly doubt: string;
  /** Tasks of one data set are a family. */
  readonly family: string;
}

/** The scores of a table. */
export interface Found {
  readonly systems: readonly string[];
  readonly tasks: readonly FoundTask[];
  /** Row-major systems × tasks; NaN where there is none. */
  readonly scores: Float64Array;
  /** What is not used: columns, and rows. */
  readonly left: readonly string[];
  /** For each system its scores on the instances of each task of the page, NaN where there is none; of these means. */
  readonly instances?: readonly (readonly Float64Array[])[];
}

/** Instances of a page: names of sets of them, or the first where they are numbers; and of each task the set and size. */
export interface KnownInstances {
  readonly sets: readonly (readonly string[] | number)[];
  readonly of: readonly number[];
  readonly sizes: readonly number[];
}

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
  readonly kind: name.Kind;
}

/** Roles of columns of a long table; earlier ones choose first. */
const ROLES = ['system', 'task', 'instance', 'metric', 'score', 'cluster', 'repeat'] as const;

type Roles = Readonly<Record<(typeof ROLES)[number], string>>;

/** Scores that are held at most. */
const MOST = 2_000_000;

/** Rows and columns from which numbers tell that a column is the mean of the others, and how improbable that must be. */
const [LEAST, EVIDENCE] = [3, 6];

/** Find the scores of a table; of one beside others, only those of `known` tasks, and of their instances. */
export function recognised(table: Cells, known: readonly string[], instances: KnownInstances | null = null): Found {
  const columns = table.names.map((own, place): Column => {
    const cells = table.rows.map((row) => row[place]);
    return { name: own, cells, kind: kindOf(cells) };
  });
  const { names } = table;
  const roles = rolesOf(names);
  refuseOthers(columns, roles);
  if (instances !== null) return single(columns, { ...roles, score: scoreIn(columns, roles) }, known, instances);
  const here = names.some((own) => known.includes(own));
  const score = here ? '' : scoreIn(columns, roles);
  if (score !== '') return long(columns, { ...roles, score }, known);
  if (known.length > 0 && !here)
    throw new Unread(`no column is called as a task of this page, such as ${quoted(known.slice(0, 3))}`);
  return wide(columns, commaOf(table.rows), known);
}

function kindOf(cells: readonly string[]): name.Kind {
  const present = cells.filter((cell) => !isMissing(cell));
  if (present.length === 0) return 'empty';
  if (present.every((cell) => /^-?(0|[1-9]\d{0,17})$/.test(cell))) return 'integer';
  return present.every(isNumber) ? 'number' : 'text';
}

function rolesOf(names: readonly string[]): Roles {
  const taken: string[] = [];
  const found = ROLES.map((role) => {
    const own = name.named(rules.usual[role], names, taken);
    if (own !== '') taken.push(own);
    return [role, own];
  });
  return Object.fromEntries(found) as Roles;
}

/** Refuse tables of something else than one score of each system on each task. */
function refuseOthers(columns: readonly Column[], { system, score }: Roles): void {
  const names = columns.map((column) => column.name);
  if (system === '' && names.some((own) => name.folded(own).endsWith('winner')))
    throw new Unread('each row says which of two systems won, which needs a model of who meets whom');
  const predicted = score === '' ? name.named(rules.usual.prediction.slice(0, 4), names) : '';
  if (predicted !== '')
    throw new Unread(`column “${predicted}” holds predictions, and a page has no right answers; --gold names them`);
}

function refuseSeveral(column: string): void {
  if (column !== '') throw new Unread(`column “${column}” says that a system has several scores on a task`);
}

/** The column of scores of a long table: by its name, or the only numbers left; empty in a wide table. */
function scoreIn(columns: readonly Column[], roles: Roles): string {
  const tasks = [roles.task, roles.metric].filter(Boolean);
  if (roles.system === '' || (tasks.length === 0 && roles.instance === '')) return '';
  if (roles.score !== '' || tasks.length === 0) return roles.score;
  const taken: string[] = Object.values(roles).filter(Boolean);
  const open = columns.filter((column) => !taken.includes(column.name) && !saysNothing(column));
  const left = open.filter(({ name: own, kind }) => isNumeric(kind) && name.described(own, kind) === '');
  const among = left.length > 0 ? left : open;
  const results = among.filter((column) => rules.usual.result.includes(name.folded(column.name)));
  if (left.length === 1 || results.length === 1) return (results[0] ?? left[0]).name;
  throw new Unread(`it has a column of tasks, “${tasks[0]}”, but it is not clear which column holds the scores`);
}

function long(columns: readonly Column[], roles: Roles, known: readonly string[]): Found {
  [roles.instance, roles.repeat].forEach(refuseSeveral);
  const cellsOf = (own: string): readonly string[] => cellsIn(columns, own);
  const { parts, labels } = labelsOf(columns, roles, known);
  const numbers = numbersIn(roles.score, cellsOf(roles.score), commaOf([cellsOf(roles.score)]));
  const said = name.directionIn(columns.map((column) => column.name));
  const lowerByColumn = roles.metric === '' && (name.isCost(roles.score) || name.soundsLower(roles.score));
  const better = new Map(
    labels.map((task, row) => [
      task,
      name.higherBy(said, cellsOf(said)[row] ?? '') ?? !(lowerByColumn || name.soundsLower(task)),
    ]),
  );
  const used = [roles.system, roles.task, roles.metric, roles.score, said];
  const left = columns.map((column) => column.name).filter((own) => !used.includes(own));
  const grid = new Grid();
  cellsOf(roles.system).forEach((system, row) => {
    if (known.length === 0 || known.includes(labels[row])) grid.put(system, labels[row], numbers[row]);
  });
  const others = [...better.keys()].filter((task) => known.length > 0 && !known.includes(task));
  const heads = new Map(labels.map((label, row) => [label, parts.length > 1 ? parts[0][row] : label]));
  const sets = grid.tasks.map((task) => heads.get(task) ?? task);
  const areSets = new Set(sets).size > 1;
  const found = grid.tasks.map((task, at) => {
    const family = areSets && sets.filter((one) => one === sets[at]).length > 1 ? sets[at] : task;
    return { name: task, higherIsBetter: better.get(task) ?? true, doubt: averageOf(task), family };
  });
  return grid.found(found, [...left, ...others]);
}

function cellsIn(columns: readonly Column[], own: string): readonly string[] {
  return columns.find((column) => column.name === own)?.cells ?? [];
}

/** The tasks of the rows of a long table, and what their names are made of. */
function labelsOf(
  columns: readonly Column[],
  roles: Roles,
  known: readonly string[],
): { readonly parts: readonly (readonly string[])[]; readonly labels: readonly string[] } {
  const [tasks, metrics] = [roles.task, roles.metric].map((role) => cellsIn(columns, role).map(name.visible));
  const apart = new Set(metrics).size > 1 || metrics.some((metric, row) => known.includes(`${tasks[row]}:${metric}`));
  const parts = tasks.length === 0 ? [metrics] : apart ? [tasks, metrics] : [tasks];
  return { parts, labels: parts[0].map((_, row) => parts.map((part) => part[row]).join(':')) };
}

/** Scores of single instances, as far as the page has these. */
function single(columns: readonly Column[], roles: Roles, known: readonly string[], here: KnownInstances): Found {
  const lacking = (['system', 'instance', 'score'] as const).filter((role) => roles[role] === '');
  if (lacking.length > 0)
    throw new Unread(
      `this page counts single instances, and no column holds ${lacking.map((role) => `${role}s`).join(', nor ')}`,
    );
  refuseSeveral(roles.repeat);
  const named = roles.task !== '' || roles.metric !== '';
  if (!named && known.length > 1) throw new Unread('this page has several tasks, and no column names them');
  const [systems, items, cells] = [roles.system, roles.instance, roles.score].map((role) => cellsIn(columns, role));
  const labels = named ? labelsOf(columns, roles, known).labels : cells.map(() => known[0]);
  const numbers = numbersIn(roles.score, cells, commaOf([cells]));
  const places = here.sets.map((set) =>
    typeof set === 'number' ? null : new Map(set.map((one, at) => [name.visible(one), at])),
  );
  const rows = new Map<string, Float64Array[]>();
  const strange = new Map<string, Set<string>>();
  const tasks = new Map(known.map((task, at) => [task, at]));
  labels.forEach((label, row) => {
    const [task, system, item] = [tasks.get(label), name.visible(systems[row]), name.visible(items[row])];
    const set = task === undefined ? 0 : here.of[task];
    const place =
      places[set]?.get(item) ??
      (places[set] === null && /^\d+$/.test(item) ? Number(item) - Number(here.sets[set]) : -1);
    if (system === '') throw new Unread(`row ${row + 1} names no system`);
    if (task === undefined || !(place >= 0 && place < here.sizes[task])) {
      strange.set(label, (strange.get(label) ?? new Set()).add(task === undefined ? '' : item));
      return;
    }
    const own = rows.get(system) ?? here.sizes.map((size) => new Float64Array(size).fill(NaN));
    rows.set(system, own);
    const before = own[task][place];
    if (!Number.isNaN(before) && !Number.isNaN(numbers[row]) && before !== numbers[row])
      throw new Unread(`“${system}” has two scores on instance “${item}” of “${label}”, ${before} and ${numbers[row]}`);
    own[task][place] = Number.isNaN(numbers[row]) ? before : numbers[row];
  });
  const found = [...rows].filter(([, own]) => own.some((scores) => scores.some((score) => !Number.isNaN(score))));
  if (found.length === 0) throw new Unread('it has no scores on instances of this page');
  const there = (scores: Float64Array): Float64Array => scores.filter((score) => !Number.isNaN(score));
  const seen = known.map((_, task) => Math.min(...found.map(([, own]) => there(own[task]).length)));
  const some = [...known.keys()].filter((task) => found.some(([, own]) => there(own[task]).length > 0));
  const used = [roles.system, roles.task, roles.metric, roles.instance, roles.score];
  return {
    systems: found.map(([system]) => system),
    tasks: some.map((task) => ({
      name: known[task],
      higherIsBetter: true,
      doubt: seen[task] < here.sizes[task] ? `${seen[task]} of ${here.sizes[task]} instances` : '',
      family: known[task],
    })),
    scores: Float64Array.from(
      found.flatMap(([, own]) =>
        some.map((task) => there(own[task]).reduce((sum, score) => sum + score, 0) / there(own[task]).length),
      ),
    ),
    instances: found.map(([, own]) => own),
    left: [
      ...columns.map((column) => column.name).filter((own) => !used.includes(own)),
      ...Array.from(strange, ([label, items]) =>
        tasks.has(label)
          ? `instances of ${label} that are not here (${[...items].slice(0, 3).join(', ')}${items.size > 3 ? ', …' : ''})`
          : label,
      ),
    ],
  };
}

function wide(columns: readonly Column[], comma: ReturnType<typeof commaOf>, known: readonly string[]): Found {
  const named = columns.filter((column) => !saysNothing(column));
  const names = named.map((column) => column.name).filter((own) => !known.includes(own));
  const system = systemIn(named.filter((column) => names.includes(column.name)));
  [rules.usual.wide, rules.usual.repeat].forEach((some) => refuseSeveral(name.named(some, names, [system])));
  const systems = columns.find((column) => column.name === system)?.cells ?? [];
  const grid = new Grid();
  const found: FoundTask[] = [];
  const left: string[] = [];
  for (const column of named) {
    if (column.name === system) continue;
    const read = known.length > 0 ? known.includes(column.name) : isNumeric(column.kind) || mayBeNumbers(column.cells);
    if (!read) {
      left.push(column.name);
      continue;
    }
    const numbers = numbersIn(column.name, column.cells, comma);
    systems.forEach((own, row) => grid.put(own, column.name, numbers[row]));
    const higherIsBetter = !(name.isCost(column.name) || name.soundsLower(column.name));
    found.push({ name: column.name, higherIsBetter, doubt: doubtOf(column), family: column.name });
  }
  if (found.length === 0) throw new Unread('no column holds scores');
  return grid.found(known.length > 0 ? found : withMeans(found, grid), left);
}

/** The column of systems of a wide table. */
function systemIn(columns: readonly Column[]): string {
  const names = columns.map((column) => column.name);
  const known = name.named(rules.usual.system, names);
  if (known !== '') return known;
  const texts = columns.filter(({ kind }) => kind === 'text').map((column) => column.name);
  const tasks = name.named([...rules.usual.task, ...rules.usual.metric], texts);
  if (tasks !== '')
    throw new Unread(`column “${tasks}” seems to name tasks, so that columns may be systems; --transpose turns them`);
  const first = texts.find(name.mayNameSystems);
  if (first === undefined) throw new Unread('no column names the systems; call one “system”');
  if (names.some(isNumber)) throw new Unread('the first row is to name the columns, and it holds numbers');
  return first;
}

/** The index that pandas writes, or what a comma at the end of a row leaves. */
function saysNothing({ name: own, kind }: Column): boolean {
  return (own === '' || own.startsWith('Unnamed: ')) && (kind === 'integer' || kind === 'empty');
}

function isNumeric(kind: name.Kind): boolean {
  return kind === 'integer' || kind === 'number';
}

/** Whether cells of text may be scores with signs and marks: some are numbers, or all begin like one. */
function mayBeNumbers(cells: readonly string[]): boolean {
  const present = cells.filter((cell) => !isMissing(cell)).map((cell) => cell.trim());
  const isDate = (cell: string): boolean => /^\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?([T ].*)?$/.test(cell);
  if (present.length === 0 || present.every(isDate)) return false;
  return present.some((cell) => /^[^\w]*\d[^A-Za-z]*$/.test(cell)) || present.every((cell) => /^[^\w]*\d/.test(cell));
}

function doubtOf({ name: own, cells, kind }: Column): string {
  const what = name.described(own, kind);
  const flags = cells.every((cell) => isMissing(cell) || /^(true|false)$/i.test(cell.trim()));
  return what === '' ? (flags ? 'yes or no' : averageOf(own)) : what;
}

function averageOf(task: string): string {
  const average = name.isAverage(task);
  return average === null ? '' : average === 'surely' ? 'an average by its name' : 'perhaps made of other tasks';
}

/**
 * The same tasks; those that are the mean of all others in every row, to the rounding and not by chance, are doubtful.
 *
 * A score is by chance within a tolerance t of another with a probability of about t / s, s being how much scores of the
 * row differ; all of that together is to be below one in a million, divided by the number of columns.
 */
function withMeans(tasks: readonly FoundTask[], grid: Grid): FoundTask[] {
  const sure = tasks.filter(({ doubt }) => doubt === '').map((task) => task.name);
  const rows = grid.rows.map((row) => sure.map((own) => row.get(own) ?? NaN)).filter((row) => !row.some(Number.isNaN));
  const halves = sure.map((_, at) => 0.5 * 10 ** -Math.max(0, ...rows.map((row) => decimalsOf(row[at]))));
  const isMean = (at: number): boolean => {
    const mean = (numbers: readonly number[]): number =>
      (numbers.reduce((sum, number) => sum + number, 0) - numbers[at]) / (numbers.length - 1);
    const tolerance = (halves[at] + mean(halves)) * (1 + 1e-9);
    if (rows.some((row) => Math.abs(row[at] - mean(row)) > tolerance)) return false;
    const evidence = rows.reduce((sum, row) => sum - Math.log10(Math.min(1, tolerance / deviationOf(row))), 0);
    return evidence >= EVIDENCE + Math.log10(sure.length);
  };
  if (sure.length < LEAST || rows.length < LEAST) return [...tasks];
  return tasks.map((task) => {
    const at = sure.indexOf(task.name);
    return at >= 0 && isMean(at) ? { ...task, doubt: 'the mean of the others' } : task;
  });
}

function decimalsOf(number: number): number {
  return /\.(\d+)$/.exec(String(number))?.[1].length ?? 0;
}

function deviationOf(numbers: readonly number[]): number {
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  return Math.sqrt(numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0) / numbers.length);
}

function quoted(names: readonly string[]): string {
  return names.map((own) => `“${own.slice(0, 60)}”`).join(', ');
}

/** Scores by the names of systems and tasks, in order of first appearance. */
class Grid {
  readonly #cells = new Map<string, Map<string, number>>();
  readonly #tasks = new Set<string>();

  get tasks(): readonly string[] {
    return [...this.#tasks];
  }

  get rows(): readonly ReadonlyMap<string, number>[] {
    return [...this.#cells.values()];
  }

  put(label: string, task: string, score: number): void {
    const system = name.visible(label);
    if (system === '' || task === '') {
      if (Number.isNaN(score)) return;
      throw new Unread(`a row with the score ${score} names no ${system === '' ? 'system' : 'task'}`);
    }
    const row = this.#cells.get(system) ?? new Map<string, number>();
    const before = row.get(task) ?? NaN;
    if (!Number.isNaN(before) && !Number.isNaN(score) && before !== score)
      throw new Unread(`“${system}” has two scores on “${task}”, ${before} and ${score}`);
    row.set(task, Number.isNaN(score) ? before : score);
    this.#cells.set(system, row);
    this.#tasks.add(task);
    if (this.#cells.size * this.#tasks.size > MOST)
      throw new Unread(`it has more than ${MOST.toLocaleString('en')} scores`);
  }

  /** The scores of tasks; rows without any, and rows that are averages, are left. */
  found(tasks: readonly FoundTask[], left: readonly string[]): Found {
    const isOut = (system: string): boolean =>
      rules.rows.includes(name.bare(system)) ||
      tasks.every((task) => Number.isNaN(this.#cells.get(system)?.get(task.name) ?? NaN));
    const systems = [...this.#cells.keys()].filter((system) => !isOut(system));
    if (systems.length === 0) throw new Unread('no system has a score');
    const scores = Float64Array.from(
      systems.flatMap((system) => tasks.map((task) => this.#cells.get(system)?.get(task.name) ?? NaN)),
    );
    return { systems, tasks, scores, left: [...left, ...[...this.#cells.keys()].filter(isOut)] };
  }
}
