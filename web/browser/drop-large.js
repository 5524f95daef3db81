/**
 * Drop files on a page, one after the other, and print what it says of each, and for how long the page itself was busy.
 *
 * node drop-large.js PAGE [NAME:MEGABYTES | PATH …]
 *
 * A file of megabytes holds the same rows again and again.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { opened } from './opened.js';

const [page, ...files] = process.argv.slice(2);
const { browser, tab, context, story } = await opened(page);
const session = await context.newCDPSession(tab);
await session.send('Performance.enable', { timeDomain: 'threadTicks' }); // other programs of the machine do not count
const worked = async () => {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
};
const found = [];
for (const file of files) {
  const [name, megabytes] = file.includes('/') ? [basename(file), 0] : file.split(':');
  const text = megabytes === 0 ? readFileSync(file, 'utf8') : 'system,rte,sst2\nA,0.5,0.25\nB,0.75,1\n'.repeat(28_000);
  await tab.evaluate(
    ([own, part, times]) => {
      globalThis.transfer = new DataTransfer();
      globalThis.transfer.items.add(new File(new Array(times).fill(new Blob([part])), own));
    },
    [name, text, Math.max(Number(megabytes), 1)],
  );
  await tab.waitForTimeout(500);
  const before = await worked();
  await tab.evaluate(() =>
    dispatchEvent(new DragEvent('drop', { dataTransfer: globalThis.transfer, cancelable: true })),
  );
  await tab.locator('dialog').waitFor();
  const after = await worked();
  found.push({ said: await tab.locator('dialog').innerText(), milliseconds: Math.round(after - before) });
  await tab.keyboard.press('Escape');
  await tab.locator('dialog').waitFor({ state: 'detached' });
}
const markup = await tab.evaluate(() => document.querySelectorAll('img').length);
console.log(JSON.stringify({ found, markup, ...story() }));
await browser.close();
