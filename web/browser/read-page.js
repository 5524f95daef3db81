/**
 * Open a page, press keys, and print what it then shows, as JSON.
 *
 * node read-page.js PAGE [TASK:KEY | row:PLACE:KEY | button:NAME | drag:PLACE:PLACE | cell:PLACE:COLUMN | press:NAME | choose:MENU:VALUE | type:TEXT | weigh:TASK:TEXT | tab:NAME | drop:FILE | check:NAME | said | until:WORDS | save:NAME | copy:NAME …]
 */
import { axeFinds, opened } from './opened.js';

const [page, ...keys] = process.argv.slice(2);
const { browser, tab, story, sharing } = await opened(page, 4000);
await tab.locator('[role=row], .drop').first().waitFor();
let copied = '';
const [dropped, faults] = [[], []];
const said = () => tab.waitForFunction(() => document.querySelector('[role=status]').textContent.trim() !== '');
const rowAt = (place) => tab.locator(`[aria-rowindex="${place}"]`);
const doing = {
  /** Press a key on a row, the first being 1. */
  row: (place, name) => rowAt(place).press(name),
  /** Press a button in the card, and wait for what it does. */
  button: (name) => tab.getByRole('dialog').getByRole('button', { name }).click(),
  /** Drag a row by its rank. */
  drag: async (from, to) => {
    const [start, end] = [await rowAt(from).boundingBox(), await rowAt(to).boundingBox()];
    await tab.mouse.move(start.x + 30, start.y + 10);
    await tab.mouse.down();
    await tab.mouse.move(end.x + 30, end.y + 10, { steps: 4 });
    await tab.mouse.up();
  },
  /** Click a cell of a row, the first of its cells being 0. */
  cell: async (place, column) => {
    await tab.waitForFunction(() => document.getAnimations().length === 0); // rows move
    const { x, y, width, height } = await rowAt(place).locator('[data-cells]').boundingBox();
    const columns = await tab.locator('.head .task').count();
    await tab.mouse.click(x + ((Number(column) + 0.5) * width) / columns, y + height / 2);
  },
  said,
  /** Wait for words. */
  until: (words) => tab.getByText(words).first().waitFor(),
  /** Press a button by its name. */
  press: (name) => tab.getByRole('button', { name, exact: true }).click(),
  check: (name) => tab.getByLabel(name).check(),
  /** Choose from a menu. */
  choose: (menu, value) => tab.getByLabel(menu).selectOption(value),
  /** Type what a field asks for. */
  type: async (text) => {
    await tab.keyboard.type(text);
    await tab.keyboard.press('Enter');
  },
  /** Choose a file of one's own, and wait for what is understood of it. */
  drop: async (file) => {
    await tab.locator('.drop input').setInputFiles(file);
    await tab.locator('dialog').waitFor();
    dropped.push(await tab.locator('dialog').innerText());
    faults.push(...(await axeFinds(tab)));
  },
  /** Click the bar of a task, and type what it weighs. */
  weigh: async (task, text) => {
    await tab.getByRole('slider').nth(Number(task)).click();
    await tab.keyboard.type(text);
    await tab.keyboard.press('Enter');
  },
  tab: (name) => tab.getByRole('tab', { name }).click(),
  save: sharing.save,
  copy: async (name) => (copied = await sharing.copy(name)),
};
for (const key of keys) {
  const [what, ...rest] = key.split(':');
  if (what in doing) await doing[what](...rest);
  else await tab.getByRole('slider').nth(Number(what)).press(rest[0]);
}
await tab.locator('.board:not(.waiting)').waitFor();
const focus = await tab.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
const rows = await tab.locator('[role=row]').evaluateAll((found) => found.map((row) => row.getAttribute('aria-label')));
await tab.locator('main[data-weighed]').waitFor();
const first = await tab.locator('.row .first').allInnerTexts();
const banner = (await tab.locator('header ~ [role=alert]').allInnerTexts()).join();
const names = await tab.locator('.row .name').evaluateAll((all) => all.map((name) => name.title));
const texts = await tab
  .locator('[data-cells]')
  .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('text')].map((text) => text.textContent)));
const cells = Object.fromEntries(texts.map((own, at) => [names[at], own]));
const heads = await tab.locator('.slanted').allInnerTexts();
const status = await tab.evaluate(() => document.querySelector('[role=status]')?.textContent.trim() ?? '');
const card = (await tab.getByRole('dialog').count()) === 0 ? '' : await tab.getByRole('dialog').innerText();
const sentence = await tab.locator('h1').innerText();
const command = await tab.locator('code').allInnerTexts();
const caption = await tab.locator('main > p').first().innerText();
const leftOut = (await tab.locator('.left-out').allInnerTexts()).join();
const notes = await tab.locator('footer').innerText();
faults.push(...(await axeFinds(tab)));
console.log(
  JSON.stringify({
    sentence,
    axe: faults,
    caption,
    notes,
    'left out': leftOut,
    rows,
    banner,
    cells,
    heads,
    focus,
    first,
    status,
    card,
    copied,
    dropped,
    command: command[0],
    ...story(),
  }),
);
await browser.close();
