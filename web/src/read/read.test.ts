import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cellsOf } from './cells';
import { recognised, type Found } from './recognise';
import { learn } from './words';
import words from '../../public/words.json';

learn(words);

interface Case {
  readonly file: string;
  readonly text: string;
  readonly known: readonly string[];
  readonly systems: readonly string[];
  readonly tasks: Readonly<Record<string, boolean>>;
  readonly scores: readonly (readonly (number | null)[])[];
}

const CASES = JSON.parse(readFileSync(join(import.meta.dirname, '../../cases/read.json'), 'utf8')) as Case[];

async function found(file: string, text: string, known: readonly string[] = []): Promise<Found> {
  return recognised(await cellsOf(new File([text], file)), known);
}

test.each(CASES)('$file is read as Python reads it', async ({ file, text, known, systems, tasks, scores }) => {
  const made = await found(file, text, known);
  const sure = made.tasks.flatMap(({ doubt }, at) => (doubt === '' ? [at] : []));
  expect(made.systems).toEqual(systems);
  expect(Object.fromEntries(sure.map((at) => [made.tasks[at].name, made.tasks[at].higherIsBetter]))).toEqual(tasks);
  const place = Object.keys(tasks).map((name) => made.tasks.findIndex((task) => task.name === name));
  const values = made.systems.map((_, row) => place.map((at) => made.scores[row * made.tasks.length + at]));
  expect(values.map((row) => row.map((one) => (Number.isNaN(one) ? null : one)))).toEqual(scores);
});

test.each([
  ['predictions.csv', 'system,id,prediction\nA,1,x\n', 'predictions'],
  ['battles.csv', 'model_a,model_b,winner\nA,B,model_a\n', 'which of two systems won'],
  ['instances.csv', 'system,task,id,score\nA,rte,1,0\n', 'column “id” says that a system has several scores'],
  ['runs.csv', 'system,rte,repeat\nA,0.5,1\n', '“repeat”'],
  ['turned.csv', 'task,A,B\nrte,1,2\n', '--transpose'],
  ['headless.csv', 'A,0.5,0.25\nB,0.75,1\n', 'the first row is to name the columns'],
  ['twice.csv', 'system,rte\nA,1\nA,2\n', '“A” has two scores on “rte”, 1 and 2'],
  ['mixed.csv', 'system,rte\nA,91%\nB,0.91\n', 'a % sign'],
  ['words.csv', 'system,rte\nA,91\nB,good\n', '“good”, which is not a number'],
  ['infinite.csv', 'system,rte\nA,1e999\nB,1\n', 'not a finite number'],
  ['ragged.csv', 'system,rte\nA,1,2\n', 'row 1 has 3 cells'],
  ['same.csv', 'system,rte,rte\nA,1,2\n', 'two columns are called “rte”'],
  ['cut.jsonl', '{"system": "A", "rte": 1}\n{"system": "B", "r', 'line 2 is no JSON object'],
  ['list.json', '[{"system": "A"}]', 'line 1 is no JSON object'],
  ['data.bin', 'PAR1\0\0', 'neither CSV nor JSON Lines'],
  ['head.csv', 'system,rte\n', 'no rows'],
  ['empty.csv', '', 'no columns'],
])('%s is refused in a sentence', async (file, text, said) => {
  await expect(found(file, text)).rejects.toThrow(said);
});

test('names are text, whatever they are', async () => {
  const made = await found('odd.csv', 'system,constructor,__proto__,toString\n<b>A</b>,1,2,3\n__proto__,4,5,6\n');
  expect(made.systems).toEqual(['<b>A</b>', '__proto__']);
  expect(made.tasks.map(({ name }) => name)).toEqual(['constructor', '__proto__', 'toString']);
  expect([...made.scores]).toEqual([1, 2, 3, 4, 5, 6]);
});

test('a page with tasks says what they are called', async () => {
  await expect(found('other.csv', 'system,a\nA,1\n', ['rte', 'sst2'])).rejects.toThrow('such as “rte”, “sst2”');
});
