/**
 * Take a picture of a page, as it is on a screen of 1,200 × 800.
 *
 * node photograph.js PAGE#HASH PICTURE.png [WIDTH [dark]]
 */
import { pathToFileURL } from 'node:url';
import { launched } from './launched.js';

const [page, picture, width = '1200', colours = 'light'] = process.argv.slice(2);
const browser = await launched();
const tab = await browser.newPage({
  viewport: { width: Number(width), height: 800 },
  colorScheme: colours === 'dark' ? 'dark' : 'light',
  deviceScaleFactor: 1.5,
});
const [file, hash] = page.split('#');
await tab.goto(`${pathToFileURL(file).href}${hash === undefined ? '' : `#${hash}`}`);
await tab.locator('h1').waitFor();
await tab.waitForTimeout(2500); // first under comes last
await tab.screenshot({ path: picture });
await browser.close();
