/**
 * Filter, sort and colour the systems of a page by what is known of them, and look at score against cost, as a reader
 * does, with mouse and keys; print what is then seen, as JSON. A reader looks for TEXT in the property TEXTS, and for at
 * least LOW of the property NUMBERS.
 *
 * node try-properties.js PAGE TEXTS TEXT NUMBERS LOW
 */
import { axeFinds, opened } from './opened.js';

const [page, texts, text, numbers, low] = process.argv.slice(2);
const { browser, tab, story } = await opened(page);
const found = {};
await tab.locator('.board:not(.waiting)').waitFor();
const rows = () => tab.locator('.row .name').evaluateAll((names) => names.map((name) => name.title));
/** The row in which a select has an option, which keys then choose. */
async function choose(label, option) {
  const select = tab.getByLabel(label, { exact: true });
  await select.focus();
  await select.selectOption(option); // what a click on an open list does; the list itself is the browser's
}

await choose('Add a filter', texts);
await tab.locator('details.chip label', { hasText: text }).click();
found.texts = await rows();
found.filtered = await axeFinds(tab);
await tab.locator('details.chip summary').click();

await choose('Add a filter', numbers);
await tab.getByLabel(`${numbers} from`).click();
await tab.keyboard.type('x');
await tab.keyboard.press('Tab');
found.refused = await tab.getByLabel(`${numbers} from`).inputValue();
await tab.getByLabel(`${numbers} from`).click();
await tab.keyboard.type(low);
await tab.keyboard.press('Enter');
found.both = await rows();
await tab.waitForTimeout(300);
found.link = await tab.evaluate(() => location.hash.replace(/&d=\w+/, ''));
await tab.reload();
await tab.locator('.board:not(.waiting)').waitFor();
found.again = await rows();
await tab.getByRole('button', { name: /hidden/ }).click();
await choose('Sort by', `sort by ${numbers}`);
found.sorted = await rows();
await choose('Colour by', `colour by ${texts}`);
found.legend = await tab.locator('.legend > span').allInnerTexts();
found.colours = new Set(
  await tab.locator('circle.rank').evaluateAll((dots) => dots.map((dot) => getComputedStyle(dot).fill)),
).size;
found.links = await tab
  .locator('.row .name a')
  .evaluateAll((links) => links.map((link) => [link.getAttribute('href'), link.rel, link.target]));
await tab
  .locator('.row .name')
  .first()
  .click({ position: { x: 60, y: 6 } });
found.card = await tab.locator('.card .known').innerText();
await tab.keyboard.press('Escape');

await tab.getByRole('tab', { name: 'Cost' }).click();
await tab.locator('.dot').first().waitFor();
found.cost = await axeFinds(tab);
await tab.locator('.dot').first().focus();
found.said = [await tab.locator('.said').innerText()];
await tab.keyboard.press('ArrowRight');
found.said.push(await tab.locator('.said').innerText());
await tab.locator('.dot .reach').first().hover();
found.hovered = await tab.locator('.said').innerText();
await tab.keyboard.press('Enter'); // of the dot that keys have reached
await tab.keyboard.press('ArrowRight');
await tab.keyboard.press('Enter');
await tab.locator('[role=tab][aria-selected=true]', { hasText: 'Compare' }).waitFor();
await tab.waitForTimeout(300); // the address follows
found.compared = await tab.evaluate(() => location.hash.replace(/&d=\w+/, ''));
console.log(JSON.stringify({ ...found, ...story() }));
await browser.close();
