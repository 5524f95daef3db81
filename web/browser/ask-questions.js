/**
 * Send a table to a server in a real browser, go back from its page, ask questions, and print what is answered.
 *
 * node ask-questions.js ADDRESS TABLE QUESTIONS.json [FOLDER]
 *
 * QUESTIONS is a list of objects: `verb`, and `fields` that are filled in, by option. Pictures of the first page and of
 * the first answer, on screens of four widths, light and dark, go into FOLDER.
 */
import { readFileSync } from 'node:fs';
import { launched } from './launched.js';
import { axeFinds } from './opened.js';

const [address, table, list, folder] = process.argv.slice(2);
const browser = await launched();
const tab = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
const [requests, errors, answers, widths] = [[], [], [], []];
tab.on('request', (request) => requests.push(new URL(request.url()).origin));
tab.on('pageerror', (error) => errors.push(error.message));
tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
await tab.goto(address);
await tab.locator('input[type=file]').setInputFiles(table);
await tab.waitForURL(/\/boards\//, { timeout: 120_000 });
await tab.getByRole('link', { name: 'All tables' }).click();
const name = table.split('/').at(-1);
for (const { verb, fields } of JSON.parse(readFileSync(list, 'utf-8'))) {
  await tab.getByRole('button', { name: `Ask about ${name}` }).click();
  await fill(verb, fields);
  if (answers.length === 0) await look('ask');
  await tab.getByRole('button', { name: 'Ask', exact: true }).click();
  answers.push(await answered());
  if (answers.length === 1) await look('answer');
  await tab.getByRole('link', { name: 'All tables' }).click();
}
await tab.getByRole('heading', { name: 'Answers' }).waitFor();
const listed = await tab.locator('a.what').allInnerTexts();
console.log(JSON.stringify({ answers, listed, widths, requests: [...new Set(requests)], errors }));
await browser.close();

/** Choose a verb, and fill in options, opening the headings they stand under. */
async function fill(verb, fields) {
  const form = tab.locator('form');
  await form.getByRole('combobox', { name: 'Question' }).selectOption(verb);
  const closed = form.locator('details:not([open]) > summary');
  while ((await closed.count()) > 0) await closed.first().click();
  for (const [option, value] of Object.entries(fields)) {
    const label = form.locator('label').filter({ has: tab.locator(`.name:text-is("${option}")`) });
    const [field, kind] = [label.locator('input, select'), await label.locator('select').count()];
    if (kind > 0) await field.selectOption(value);
    else if (value === true) await field.check();
    else await field.fill(value);
  }
}

/** Wait until an answer is there, and read it. */
async function answered() {
  await tab.waitForURL(/\/answers\//);
  await tab.locator('table, .error').first().waitFor({ timeout: 120_000 });
  await tab.locator('.again').waitFor();
  const form = await tab.locator('form label:visible').evaluateAll((labels) =>
    labels
      .map((label) => [label.querySelector('span')?.textContent, label.querySelector('input, select')])
      .filter(([, field]) => field.type !== 'checkbox' && field.value !== '')
      .map(([name, field]) => [name, field.value]),
  );
  const seen = {
    form: Object.fromEntries(form),
    link: tab.url(),
    sentence: await tab.locator('h1').innerText(),
    error: await tab.locator('.error').allInnerTexts(),
    notes: await tab.locator('footer p').allInnerTexts(),
    tables: await tab
      .locator('table')
      .evaluateAll((tables) =>
        tables.map((one) => [...one.rows].map((row) => [...row.cells].map((cell) => cell.textContent))),
      ),
    files: [],
  };
  for (const file of seen.tables.length > 0 ? ['CSV', 'JSON'] : []) {
    const wanted = tab.waitForEvent('download');
    await tab.getByRole('link', { name: file }).click();
    const download = await wanted;
    const parts = await (await download.createReadStream()).toArray();
    seen.files.push([download.suggestedFilename(), Buffer.concat(parts).toString('utf-8')]);
  }
  await tab.reload();
  await tab.locator('table, .error').first().waitFor();
  seen.again = await tab.locator('h1').innerText();
  return seen;
}

/** Say what is too wide, too small for a finger or not accessible, on screens of four widths; and take pictures. */
async function look(what) {
  for (const colours of ['light', 'dark']) {
    await tab.emulateMedia({ colorScheme: colours });
    for (const width of [1280, 768, 390, 360]) {
      await tab.setViewportSize({ width, height: 900 });
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
      const small = await tab
        .locator('button:visible, a.control:visible, select:visible, summary:visible')
        .evaluateAll((parts) => parts.filter((part) => part.getBoundingClientRect().height < 40).length);
      widths.push({ what, width, wide, small, violations: await axeFinds(tab) });
      if (folder !== undefined)
        await tab.screenshot({ path: `${folder}/${what}-${width}-${colours}.png`, fullPage: true });
    }
  }
  await tab.emulateMedia({ colorScheme: 'light' });
  await tab.setViewportSize({ width: 1280, height: 900 });
}
