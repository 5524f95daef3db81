/**
 * Open a page, press keys, and print what has the focus after each, the text of the page, and where it is.
 *
 * node read-keys.js PAGE [KEY …]
 */
import { pathToFileURL } from 'node:url';
import { launched } from './launched.js';
import { withoutDigest } from './opened.js';

const [page, ...keys] = process.argv.slice(2);
const browser = await launched();
const { HEIGHT, WIDTH } = process.env;
const viewport = { width: Number(WIDTH ?? 1440), height: Number(HEIGHT ?? 1000) };
const tab = await browser.newPage({ viewport, offline: true });
await tab.goto(pathToFileURL(page).href);
await tab.locator('h1, #unread').filter({ visible: true }).first().waitFor();
await tab.locator('.waiting').waitFor({ state: 'detached' });
const text = await tab.locator('body').innerText();
const focus = [];
for (const key of keys) {
  await tab.keyboard.press(key);
  focus.push(await tab.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.innerText));
}
/** Rows that are seen whole under the head, once the board is at the top. */
const rows = await tab.evaluate(() => {
  const head = document.querySelector('.head');
  head?.scrollIntoView();
  const bottom = head?.getBoundingClientRect().bottom ?? 0;
  const boxes = [...document.querySelectorAll('[role=row]')].map((row) => row.getBoundingClientRect());
  return boxes.filter((box) => box.top > bottom - 1 && box.bottom <= innerHeight).length;
});
await tab.waitForTimeout(100); // the address follows
console.log(JSON.stringify({ text, focus, rows, address: withoutDigest(new URL(tab.url()).hash) }));
await browser.close();
