/**
 * Open an answer of a server in a real browser, and print what it says; with `cancel`, once it is cancelled.
 *
 * node read-answer.js ADDRESS [cancel]
 */
import { launched } from './launched.js';

const [address, cancel] = process.argv.slice(2);
const browser = await launched();
const tab = await browser.newPage();
tab.setDefaultTimeout(120_000);
await tab.goto(address);
let progress = null;
if (cancel !== undefined) {
  progress = await tab.getByRole('progressbar').evaluate((bar) => bar.position);
  await tab.getByRole('button', { name: 'Cancel' }).click();
}
await tab
  .getByText(/^(There is no|This |First place|.*(best|may be))/)
  .first()
  .waitFor();
const tables = await tab
  .locator('table')
  .evaluateAll((found) =>
    found.map((one) => [...one.rows].map((row) => [...row.cells].map((cell) => cell.textContent))),
  );
const home = await tab.getByRole('link', { name: 'All tables' }).getAttribute('href');
console.log(JSON.stringify({ sentence: await tab.locator('h1').innerText(), tables, home, progress }));
await browser.close();
