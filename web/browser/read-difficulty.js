/**
 * Open the difficulty view of a page, press keys on its sliders, choose in its lists, and
 * print what it then shows, as JSON; with TIMES also how long so many steps of a threshold take, in milliseconds.
 *
 * node read-difficulty.js PAGE#HASH [SLIDER@KEY | LIST=CHOICE | BUTTON | type:FIELD~NUMBER | save:NAME | copy:NAME …] [TIMES]
 */
import { axeFinds, opened } from './opened.js';

const [page, ...asked] = process.argv.slice(2);
const times = /^\d+$/.test(asked.at(-1) ?? '') ? Number(asked.pop()) : 0;
const { browser, context, tab, story, sharing } = await opened(
  page.includes('#') ? page : `${page}#v=difficulty`,
  1200,
);
const copied = [];
const refused = [];
/** Type into a field as people do: a click, the number, Enter. */
async function typed(item) {
  const [field, number] = item.split('~');
  await tab.getByLabel(field).click();
  await tab.keyboard.type(number);
  await tab.keyboard.press('Enter');
  refused.push(...(await tab.getByRole('alert').allInnerTexts()));
}
await tab.locator('main:not(.waiting)').waitFor();
for (const one of asked) {
  const [name, key] = one.split('@');
  const [list, choice] = one.split('=');
  const [menu, item] = one.split(':');
  if (menu === 'type') await typed(item);
  else if (menu === 'save') await sharing.save(item);
  else if (menu === 'copy') copied.push(await sharing.copy(item));
  else if (choice !== undefined) await tab.getByLabel(list).selectOption({ label: choice });
  else if (key === undefined) await tab.getByRole('button', { name, exact: true }).click();
  else await tab.getByRole('slider', { name, exact: true }).press(key);
}
await tab.locator('main:not(.waiting)').waitFor();
const table = tab.getByText('Show as table', { exact: true });
if ((await table.count()) > 0) await table.click();
const shown = {
  sentence: await tab.locator('h1').innerText(),
  how: await tab.locator('main .how').innerText(),
  command: (await tab.locator('code').allInnerTexts())[0],
  rows: await tab
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))),
};
/** Processor time of the main thread so far, in milliseconds; other programs do not count. */
const session = await context.newCDPSession(tab);
await session.send('Performance.enable', { timeDomain: 'threadTicks' });
const spent = async () => {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
};
const steps = [];
for (let step = 0; step < times; step += 1) {
  const before = await spent();
  await tab.locator('.grip').first().press('ArrowRight');
  steps.push((await spent()) - before);
}
const axe = await axeFinds(tab);
console.log(JSON.stringify({ ...shown, ...story(), copied, refused, axe, steps }));
await browser.close();
