/**
 * Open a page from the disk in a real browser again and again, step a weight or a threshold, scroll, and print how long
 * all that took, in milliseconds, as JSON.
 *
 * node time-page.js PAGE#HASH ROUNDS STEPS
 */
import { pathToFileURL } from 'node:url';
import { launched } from './launched.js';

const [page, rounds, steps] = process.argv.slice(2);
const [file, hash] = page.split('#');
const difficulty = hash?.includes('difficulty') === true;
const grip = difficulty ? '.grip' : '[role=slider]';
const busy = difficulty ? 'main.waiting' : '.board.waiting';
const browser = await launched();

/** In the page: when the first row or grip is painted, and the longest time in which nothing else could happen. */
function watch(wanted) {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
  const observer = new MutationObserver(() => {
    if (document.querySelector(wanted) === null) return;
    observer.disconnect();
    requestAnimationFrame(() =>
      setTimeout(() => {
        globalThis.opened = performance.now();
        console.debug('opened');
      }),
    );
  });
  observer.observe(document, { childList: true, subtree: true });
}

async function open() {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, offline: true });
  await context.addInitScript(watch, difficulty ? '.grip' : '[role=row]');
  const tab = await context.newPage();
  tab.setDefaultTimeout(300_000);
  const drawn = tab.waitForEvent('console', (message) => message.text() === 'opened'); // others run scripts in the page
  await tab.goto(`${pathToFileURL(file).href}${hash === undefined ? '' : `#${hash}`}`);
  await drawn;
  const opened = await tab.evaluate(() => globalThis.opened);
  await tab.locator(busy).waitFor({ state: 'detached' });
  return { opened, tab, context };
}

const opened = [];
for (let round = 1; round < Number(rounds); round += 1) {
  const once = await open();
  opened.push(once.opened);
  await once.context.close();
}
const { opened: last, tab } = await open();
opened.push(last);
await tab.waitForTimeout(1000);
await tab.evaluate(() => (globalThis.longest = 0));
/** Steps one after the other: until the new order has its layout, and until its intervals have; frames wait for both. */
const stepped = await tab.evaluate(
  async ([grip, busy, steps]) => {
    const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const quiet = () =>
      new Promise((resolve) => {
        const look = () => document.querySelector(busy) === null && (observer.disconnect(), resolve());
        const observer = new MutationObserver(look);
        observer.observe(document.body, { subtree: true, attributes: true, attributeFilter: ['class'] });
        look();
      });
    const found = { ranks: [], intervals: [] };
    const slider = document.querySelector(grip);
    for (let step = 0; step < steps; step += 1) {
      const key = grip === '.grip' ? 'ArrowRight' : step % 2 === 0 ? 'ArrowUp' : 'ArrowDown';
      await painted();
      const start = performance.now();
      slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      for (let turn = 0; turn < 4; turn += 1) await Promise.resolve(); // what follows from a change is drawn in these
      document.body.getBoundingClientRect();
      found.ranks.push(performance.now() - start);
      await quiet();
      document.body.getBoundingClientRect();
      found.intervals.push(performance.now() - start);
    }
    return { ...found, longest: [globalThis.longest] };
  },
  [grip, busy, Number(steps)],
);
/** Two seconds of scrolling, a screen in each half second: the time between two frames. */
const frames = await tab.evaluate(
  () =>
    new Promise((resolve) => {
      const [found, start] = [[], performance.now()];
      let before = start;
      const next = (now) => {
        found.push(now - before);
        before = now;
        globalThis.scrollBy(0, 40);
        if (now - start < 2000) requestAnimationFrame(next);
        else resolve(found.slice(2));
      };
      requestAnimationFrame(next);
    }),
);
console.log(JSON.stringify({ opened, ...stepped, frames }));
await browser.close();
