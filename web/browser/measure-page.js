/**
 * Open the views of a page on screens of several widths, and print as JSON where things stand on them: how wide the page
 * is, what is too small for a finger, the cards of the leaderboard, and the sheet of weights.
 *
 * node measure-page.js PAGE WIDTH,WIDTH,… [FOLDER]
 *
 * Pictures go into FOLDER.
 */
import { pathToFileURL } from 'node:url';
import { launched } from './launched.js';
import { axeFinds } from './opened.js';

/** Pixels that a finger needs. */
const FINGER = 40;

const [page, widths, folder] = process.argv.slice(2);
const browser = await launched();
const screens = [];
for (const width of widths.split(',').map(Number)) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, hasTouch: width <= 700, offline: true });
  const tab = await context.newPage();
  tab.setDefaultTimeout(120_000);
  const views = [];
  for (const view of ['leaderboard', 'compare', 'difficulty', 'agreement', 'robustness', 'history', 'data']) {
    await open(tab, view);
    await tab.locator('h1').waitFor();
    views.push({ view, axe: await axeFinds(tab), ...(await sizes(tab)) });
    if (folder !== undefined) await tab.screenshot({ path: `${folder}/${view}-${width}.png`, fullPage: true });
  }
  await open(tab, 'leaderboard');
  await tab.locator('[role=row]').first().waitFor();
  await tab.locator('.board:not(.waiting)').waitFor();
  screens.push({ width, views, ...(await board(tab)), sheet: width <= 700 ? await sheet(tab, folder, width) : null });
  await context.close();
}
console.log(JSON.stringify(screens));
await browser.close();

/** Open a view anew: another address of the same page would only turn to it. */
async function open(tab, view) {
  await tab.goto('about:blank');
  await tab.goto(`${pathToFileURL(page).href}#v=${view}`);
}

/** How wide the page is, which parts are too small for a finger, and which texts of a figure lie on each other. */
function sizes(tab) {
  return tab.evaluate((least) => {
    const parts = [...document.querySelectorAll('button:not(.word), select, summary, input:not([type=checkbox])')];
    const small = parts.filter((part) => part.checkVisibility() && part.getBoundingClientRect().height < least);
    const texts = [...document.querySelectorAll('figure svg text:not([transform])')]
      .filter((text) => text.textContent.trim() !== '' && text.checkVisibility())
      .map((text) => [text.textContent.trim(), text.getBoundingClientRect()]);
    const meet = (one, other) =>
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;
    return {
      wide: document.documentElement.scrollWidth,
      small: small.map((part) => part.outerHTML.slice(0, 80)),
      crossed: texts.flatMap(([text, one], at) =>
        texts.slice(at + 1).flatMap(([other, box]) => (meet(one, box) ? [[text, other]] : [])),
      ),
      captions: [...document.querySelectorAll('figcaption')].map((caption) => caption.textContent).join(' '),
    };
  }, FINGER);
}

/** Where the cards of the leaderboard stand, and how much room is between it and what is above. */
function board(tab) {
  return tab.evaluate(() => {
    const box = (part) => part.getBoundingClientRect();
    const rows = [...document.querySelectorAll('[role=row]')].map((row) => {
      const [rank, name, interval] = ['.rank', '.name', 'svg'].map((part) => row.querySelector(part));
      return {
        rank: [rank.textContent, box(rank).left, box(rank).right],
        name: [name.title, box(name).left, box(name).right],
        interval: [interval.childElementCount, box(interval).left, box(interval).right],
        label: row.getAttribute('aria-label'),
      };
    });
    const names = [...document.querySelectorAll('[role=row] .name')].map((name) => {
      const range = document.createRange();
      range.selectNodeContents(name);
      return box(range).width;
    });
    const help = box(document.querySelector('main details'));
    return { rows, names, gap: box(document.querySelector('.head')).top - help.bottom };
  });
}

/** What the sheet of weights covers, and what its first slider does. */
async function sheet(tab, folder, width) {
  const before = await labels(tab);
  await tab.getByRole('button', { name: 'Weights', exact: true }).click();
  const slider = tab.getByRole('dialog').getByRole('slider').first();
  await slider.press('End');
  await tab.locator('.board:not(.waiting)').waitFor();
  await tab.waitForTimeout(500); // rows move
  const seen = await tab.evaluate(() => {
    const top = document.querySelector('.sheet').getBoundingClientRect().top;
    const rows = [...document.querySelectorAll('[role=row]')].map((row) => row.getBoundingClientRect());
    return { top, above: rows.filter((row) => row.top >= 0 && row.bottom <= top).length };
  });
  if (folder !== undefined) await tab.screenshot({ path: `${folder}/sheet-${width}.png` });
  const after = await labels(tab);
  await tab.keyboard.press('Escape');
  const focus = await tab.evaluate(() => document.activeElement.textContent);
  return { ...seen, before, after, focus, hash: await tab.evaluate(() => location.hash) };
}

function labels(tab) {
  return tab.getByRole('row').evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')));
}
