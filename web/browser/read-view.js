/**
 * Open a view of a page, press what is asked, and print what it then shows, as JSON: its sentence, its tables, its notes,
 * and what axe finds. With SHOT=FILE a picture of it is taken.
 *
 * node read-view.js PAGE#HASH [ROLE:NAME | ROLE:NAME@KEY | focused@KEY | row:PLACE:KEY | click:PLACE | card:PLACE |
 *                              select:LABEL:OPTION | type:LABEL:TEXT | shown:VIEW | save:NAME | copy:NAME | axe …]
 */
import { axeFinds, opened } from './opened.js';

const [page, ...asked] = process.argv.slice(2);
const { SHOT } = process.env;
const { browser, tab, story, sharing } = await opened(page);
const [axe, copied] = [[], []];
const rowAt = (place) => tab.locator(`[role=grid] [aria-rowindex="${place}"]`);
const nameIn = (place) => rowAt(place).locator('.name');
const doing = {
  row: (place, key) => rowAt(place).press(key),
  click: (place) => nameIn(place).click({ modifiers: ['Control'] }),
  card: (place) => nameIn(place).click(),
  select: (label, option) => tab.getByLabel(label, { exact: true }).selectOption(option),
  type: async (label, text) => {
    await tab.getByLabel(label, { exact: true }).click();
    await tab.keyboard.type(text);
    await tab.keyboard.press('Enter');
  },
  shown: async (name) => {
    await tab.locator('[role=tab][aria-selected=true]', { hasText: name }).waitFor();
    await tab.locator('h1').waitFor();
  },
  save: sharing.save,
  copy: async (name) => copied.push(await sharing.copy(name)),
  axe: async () => axe.push(...(await axeFinds(tab))),
};
for (const one of asked) {
  const [what, ...rest] = one.split(':');
  if (what in doing) {
    await doing[what](...rest);
    continue;
  }
  const [found, key] = one.split('@');
  const [role, ...name] = found.split(':');
  const part =
    role === 'focused'
      ? tab.locator(':focus')
      : tab.getByRole(role, name.length > 0 ? { name: name.join(':'), exact: true } : {}).first();
  await (key === undefined ? part.click() : part.press(key));
}
await tab.locator('main.waiting').waitFor({ state: 'detached' });
const focus = await tab.evaluate(
  () => document.activeElement?.id || document.activeElement?.getAttribute('aria-label') || '',
);
await sharing.close();
const details = await tab.locator('summary').all();
for (const summary of SHOT === undefined ? details : []) {
  await summary.click();
  await summary.locator('..').locator('table').first().waitFor();
}
const shown = {
  sentence: await tab.locator('h1').innerText(),
  how: await tab.locator('main .how').innerText(),
  leftOut: (await tab.locator('.left-out').allInnerTexts()).join(),
  said: (await tab.locator('.said').allInnerTexts()).join('\n'),
  list: await tab.locator('main li').allInnerTexts(),
  notes: await tab.locator('.note').allInnerTexts(),
  code: await tab.locator('code').allInnerTexts(),
  marks: await tab.locator('main figure rect.treatment').count(),
  tabs: await tab.getByRole('tab').allInnerTexts(),
  count: (await tab.locator('section [role=status]').allInnerTexts())[0],
  instances: await tab
    .locator('section [role=rowgroup] [role=row]')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim()))),
  quoted: await tab.locator('blockquote > *').evaluateAll((parts) => parts.map((part) => part.textContent)),
  tables: await tab
    .locator('table')
    .evaluateAll((tables) =>
      tables.map((table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))),
    ),
};
if (SHOT !== undefined) await tab.screenshot({ path: SHOT, fullPage: true });
axe.push(...(await axeFinds(tab)));
console.log(JSON.stringify({ ...shown, ...story(), focus, copied, axe }));
await browser.close();
