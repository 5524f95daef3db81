/**
 * Open the first page of a server in a real browser, send it a table, wait for its page, and print what it shows; then
 * send right answers, which have no page, and open a link to nothing.
 *
 * node send-table.js ADDRESS TABLE GOLD [SCREENSHOT]
 */
import { launched } from './launched.js';

const [address, table, gold, screenshot] = process.argv.slice(2);
const browser = await launched();
const tab = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
const [requests, errors] = [[], []];
tab.on('request', (request) => requests.push(new URL(request.url()).origin));
tab.on('pageerror', (error) => errors.push(error.message));
tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
await tab.goto(address);
const start = await tab.locator('h1').innerText();
await tab.locator('input[type=file]').setInputFiles(table);
await tab.locator('[role=row]').first().waitFor({ timeout: 120_000 });
await tab.locator('.board:not(.waiting)').waitFor();
const rows = await tab.getByRole('row').evaluateAll((found) => found.map((row) => row.getAttribute('aria-label')));
const sentence = await tab.locator('h1').innerText();
await tab.goto(address);
await tab.getByRole('button', { name: 'Open' }).first().waitFor();
await tab.locator('button.name').first().waitFor();
const tables = await tab.locator('button.name').allInnerTexts();
await tab.locator('input[type=file]').setInputFiles(gold);
await tab.locator('.error').waitFor({ timeout: 120_000 });
const refused = await tab.locator('.error').innerText();
const listed = await tab.locator('a.what').allInnerTexts();
if (screenshot !== undefined) await tab.screenshot({ path: screenshot });
const failures = errors.splice(0);
await tab.goto(`${address}boards/${'0'.repeat(16)}`);
const nothing = await tab.locator('h1').innerText();
if (screenshot !== undefined) await tab.screenshot({ path: screenshot.replace('.png', '-nothing.png') });
await tab.getByRole('link').click();
await tab.locator('a.what').first().waitFor();
const seen = {
  start,
  rows,
  sentence,
  tables,
  refused,
  listed,
  nothing,
  requests: [...new Set(requests)],
  errors: failures,
};
console.log(JSON.stringify(seen));
await browser.close();
