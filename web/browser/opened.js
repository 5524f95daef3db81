/** Open a page from the disk in a real browser without a network, and look at it as a reader does. */
import axe from 'axe-core/axe.min.js';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launched } from './launched.js';

/** Open PAGE#HASH; WIDTH and DARK say how it is looked at, SLOW after how many milliseconds answers of workers come. */
export async function opened(page, height = 1000) {
  const { WIDTH, DARK, SLOW } = process.env;
  const browser = await launched();
  const context = await browser.newContext({
    viewport: { width: Number(WIDTH ?? 1440), height },
    colorScheme: DARK === undefined ? 'light' : 'dark',
    offline: true,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const tab = await context.newPage();
  tab.setDefaultTimeout(120_000); // machines may be busy
  const [requests, errors] = [[], []];
  tab.on('request', (request) => requests.push(request.url().split(':')[0]));
  tab.on('pageerror', (error) => errors.push(error.message));
  tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  if (SLOW !== undefined) await tab.addInitScript(delayed, Number(SLOW));
  const [file, hash] = page.split('#');
  await tab.goto(pathToFileURL(file).href + (hash === undefined ? '' : `#${hash}`));
  await tab.locator('h1').waitFor();
  const story = () => ({ address: withoutDigest(new URL(tab.url()).hash), requests: [...new Set(requests)], errors });
  return { browser, context, tab, story, sharing: sharing(tab, dirname(file)) };
}

/** A view as a link holds it, whatever its data. */
export function withoutDigest(hash) {
  return hash.replace(/&d=\w+/, '');
}

/** In the page: hold back what workers say. */
function delayed(milliseconds) {
  globalThis.Worker = class extends globalThis.Worker {
    set onmessage(take) {
      super.onmessage = (event) => setTimeout(() => take(event), milliseconds);
    }
  };
}

/** What axe finds now; what it has looked at and found well is not told. */
export async function axeFinds(tab) {
  const there = await tab.evaluate(() => globalThis.axe !== undefined);
  if (!there) await tab.evaluate(axe.source); // its policy lets the page load no other script
  return tab.evaluate(async () => {
    const { violations } = await globalThis.axe.run({ resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
  });
}

/** Print on paper of its size what the print dialog was given. */
async function printed(tab, file) {
  const [drawn, sheet] = await tab
    .frames()
    .at(-1)
    .evaluate(() => [
      document.body.innerHTML,
      [...document.adoptedStyleSheets[0].cssRules].map((rule) => rule.cssText).join(' '),
    ]);
  const printer = await tab.context().newPage();
  await printer.setContent(`<style>${sheet}</style>${drawn}`);
  await printer.pdf({ path: file, preferCSSPageSize: true });
  await printer.close();
}

/** The buttons of the menu Share, once the view has its answer. */
function sharing(tab, folder) {
  const press = async (name) => {
    await tab.locator('.waiting').waitFor({ state: 'detached' });
    if (!(await tab.locator('#share').isVisible()))
      await tab.getByRole('button', { name: 'Share', exact: true }).click();
    await tab.locator('#share').getByRole('button', { name, exact: true }).click();
  };
  return {
    /** The menu covers what lies below. */
    close: async () => {
      if (await tab.locator('#share').isVisible()) await tab.keyboard.press('Escape');
    },
    /** Save what a button gives beside the page, as saved.csv and so on. */
    save: async (name) => {
      if (name === 'PDF') return press(name).then(() => printed(tab, join(folder, 'saved.pdf')));
      const [saved] = await Promise.all([tab.waitForEvent('download'), press(name)]);
      await saved.saveAs(join(folder, `saved.${name.toLowerCase()}`));
    },
    /** Copy by a button, and return what was copied. */
    copy: async (name) => {
      await press(name);
      await tab.getByText(/^Copied/).waitFor();
      return tab.evaluate(() => navigator.clipboard.readText());
    },
  };
}
