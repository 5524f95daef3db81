/**
 * Try what a board does under a pointer, while answers are awaited, and on paper; print what is then seen, as JSON.
 *
 * node try-board.js PAGE [PICTURES]
 */
import { axeFinds, opened } from './opened.js';

const [page, folder] = process.argv.slice(2);
const { browser, tab, story } = await opened(page);
const found = {};
const slider = (number) => tab.getByRole('slider').nth(number);
const weight = async (number) => Number(await slider(number).getAttribute('aria-valuenow'));
const rows = () => tab.locator('[role=row]').evaluateAll((all) => all.map((row) => row.getAttribute('aria-label')));
const said = async () => ({
  sentence: await tab.locator('h1').innerText(),
  rows: await rows(),
  best: await tab.locator('.row.best').count(),
});
const settled = () => tab.locator('.board:not(.waiting)').waitFor();

await tab.locator('.row .counting').first().waitFor();
found.counting = await axeFinds(tab);
await settled();
found.before = await said();
await slider(0).press('Delete');
await tab.locator('.late').waitFor({ state: 'attached' }); // until then the sentence before stays
found.waiting = await said();
await settled();
found.after = await said();

/** A tier is reached by its number, and the axis then has the ranks that are seen. */
const axis = () => tab.locator('.axis').innerText();
found.axis = [await axis()];
await tab.getByRole('button', { name: 'tier 2', exact: true }).click();
await tab.waitForTimeout(300);
found.axis.push(await axis());
found.reached = await tab.evaluate(() => {
  const head = document.querySelector('.head').getBoundingClientRect().bottom;
  const row = document.activeElement;
  return [Math.round(row.getBoundingClientRect().top - head), row.querySelector('.tier').textContent];
});
await tab.evaluate(() => scrollTo(0, 0));

await tab.locator('[aria-rowindex="2"] .name').click();
found.card = await axeFinds(tab);
await tab.getByRole('button', { name: 'Make it first' }).click();
await tab.getByRole('progressbar').waitFor();
found.looking = await tab.getByRole('progressbar').getAttribute('aria-label');
await tab.waitForFunction(() => document.querySelector('[role=status]').textContent.trim() !== '');
found.done = await tab.getByRole('progressbar').count();

/** Two clicks on a bar, in its middle and at its lower edge; then one, and a number. */
found.double = [];
for (const y of [28, 52]) {
  await slider(1).press('Backspace');
  await slider(1).dblclick({ position: { x: 10, y } });
  found.double.push([await weight(1), await tab.locator('.bar input').count()]);
  await tab.locator('h1').click();
  found.double.push([await weight(1), await tab.locator('.bar input').count()]);
  await tab.waitForTimeout(600); // two more are no part of the two before
  await slider(1).dblclick({ position: { x: 10, y } });
  found.double.push([await weight(1), await tab.locator('.bar input').count()]);
  await tab.locator('h1').click();
  found.double.push([await weight(1), await tab.locator('.bar input').count()]);
}
await tab.waitForTimeout(600);
/** Numbers are typed after a click on a bar, or at once; what is refused says so. */
found.typed = [];
for (const typed of ['2', '0,5', '-0.5', 'x']) {
  await slider(1).click();
  await tab.keyboard.type(typed);
  await tab.keyboard.press('Enter');
  found.typed.push([await weight(1), ...(await tab.locator('.bar [role=alert]').allInnerTexts())]);
  await tab.keyboard.press('Escape');
}
await tab.keyboard.type('12.5');
await tab.keyboard.press('Enter');
found.typed.push([await weight(1)]);

/** A drag is one step, as is a method; keys, the browser and a button lead back and forth. */
const address = () => tab.waitForTimeout(300).then(() => tab.evaluate(() => location.hash.replace(/&d=\w+/, '')));
const { x, y } = await slider(2).boundingBox();
found.steps = [await address()];
await tab.mouse.move(x + 8, y + 40);
await tab.mouse.down();
for (const to of [30, 20, 10, 0]) {
  await tab.mouse.move(x + 8, y + to);
  await tab.waitForTimeout(120);
}
found.dragged = await address();
await tab.mouse.up();
found.steps.push(await address());
await tab.getByLabel('ranked by').selectOption('mean');
found.steps.push(await address());
found.undone = [];
for (const [what, how] of [
  ['back', () => tab.keyboard.press('Control+z')],
  ['back', () => tab.goBack()],
  ['forward', () => tab.goForward()],
  ['forward', () => tab.keyboard.press('Control+Shift+z')],
  ['back', () => tab.getByRole('button', { name: 'Undo' }).click()],
]) {
  await how();
  found.undone.push([what, await address(), await weight(2)]);
}

/** What a pointer meets along each name, from its beginning to its end. */
found.names = await tab.locator('.slanted').evaluateAll((names) =>
  names.map((name) => {
    const text = document.createRange();
    text.selectNodeContents(name);
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const along = [0.15, 0.4, 0.6, 0.85].map((part) =>
      document.elementFromPoint(left + part * (right - left), bottom - part * (bottom - top)),
    );
    return along.every((met) => met !== null && name.contains(met));
  }),
);

if (folder !== undefined) await tab.pdf({ path: `${folder}/board.pdf`, format: 'A4' });
await tab.emulateMedia({ media: 'print' });
await tab.evaluate(() => dispatchEvent(new Event('beforeprint')));
found.paper = await tab.locator('[role=row]').evaluateAll((all) =>
  all.map((row) => {
    const { transform, position } = getComputedStyle(row);
    return [row.getAttribute('aria-rowindex'), position, transform, Math.round(row.getBoundingClientRect().top)];
  }),
);
found.onPaper = await tab.locator('.heading').evaluate((heading) => {
  const { display, breakInside } = getComputedStyle(heading);
  return [display, breakInside];
});
await tab.evaluate(() => dispatchEvent(new Event('afterprint')));
await tab.emulateMedia({ media: 'screen' });
found.screen = (await rows()).length;
console.log(JSON.stringify({ ...found, ...story() }));
await browser.close();
