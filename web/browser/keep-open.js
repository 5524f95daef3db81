/**
 * Keep a browser open, and run the other programs of this folder in it, one after the other, until the input ends.
 *
 * node keep-open.js
 *
 * First it prints where the browser is, for CHROMIUM of a program that is started by itself. Each line of the input is
 * then a program to run, as JSON: {number, program, words, variables}. A program finds its words and variables where it
 * does when it is started by itself. Each line of the output is {number, printed}, or {number, failed}: why it failed.
 */
import { createInterface } from 'node:readline';
import { closeAll, shared } from './launched.js';

const print = console.log;
process.env.CHROMIUM = await shared();
print(process.env.CHROMIUM);
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  print(JSON.stringify({ number: asked.number, ...(await outcome(asked)) }));
}
process.exit();

/** What a program prints, or why it fails. */
async function outcome({ number, program, words, variables }) {
  const printed = [];
  process.argv.splice(2, Infinity, ...words);
  Object.assign(process.env, variables);
  console.log = (text) => printed.push(text);
  try {
    await import(`./${program}?${number}`); // under a new name, so that it runs anew
    return { printed: printed.join('\n') };
  } catch (error) {
    return { failed: error.stack };
  } finally {
    await closeAll(); // what a program leaves open that fails
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  }
}
