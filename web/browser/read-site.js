/**
 * Open a page that lies at an address in a real browser, then Compare, and save it as one file; print as JSON what is
 * shown, what was asked for up to the first ranking and after it, and errors. Opened from a disk, only what it says.
 *
 * node read-site.js ADDRESS SAVED.html
 */
import { launched } from './launched.js';

const [address, saved] = process.argv.slice(2);
const browser = await launched();
const tab = await browser.newPage({ viewport: { width: 1440, height: 4000 } });
tab.setDefaultTimeout(120_000);
const [requests, errors] = [[], []];
tab.on('request', (request) => requests.push(request.url()));
tab.on('pageerror', (error) => errors.push(error.message));
tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
await tab.goto(address);
await tab.locator('h1').waitFor();
if (address.startsWith('file:')) {
  console.log(JSON.stringify({ said: await tab.locator('main').innerText() }));
} else {
  await tab.locator('.board:not(.waiting)').waitFor();
  const rows = await tab
    .locator('[role=row]')
    .evaluateAll((found) => found.map((row) => row.getAttribute('aria-label')));
  const first = requests.splice(0);
  await tab.getByRole('tab', { name: 'Compare' }).click();
  await tab.getByLabel('Compared with').waitFor();
  const sentence = await tab.locator('h1').innerText();
  const later = requests.splice(0);
  await tab.getByRole('tab', { name: 'Leaderboard' }).click();
  await tab.getByRole('button', { name: 'Share', exact: true }).click();
  const [file] = await Promise.all([
    tab.waitForEvent('download'),
    tab.locator('#share').getByRole('button', { name: 'HTML', exact: true }).click(),
  ]);
  await file.saveAs(saved);
  console.log(JSON.stringify({ rows, sentence, first, later, errors }));
}
await browser.close();
