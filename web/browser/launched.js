/** A real browser without a network of its own: a new one, or one of a process that keeps it open for many (CHROMIUM). */
import { chromium } from 'playwright-core';

const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'];
/** As where nobody looks on: otherwise a browser that is driven parses a script again for the first error with a stack. */
const PLAIN = '--js-flags=--no-enable-lazy-source-positions';
const HERE = { executablePath: '/usr/bin/chromium', args: [...QUIET, PLAIN] };
const browsers = [];

/** Return a browser; what is opened in it is its own, and closed with it. */
export async function launched() {
  const { CHROMIUM } = process.env;
  const browser = await (CHROMIUM === undefined ? chromium.launch(HERE) : chromium.connect(CHROMIUM));
  browsers.push(browser);
  return browser;
}

/** Close all that were returned. */
export async function closeAll() {
  for (const browser of browsers.splice(0)) await browser.close();
}

/** Start a browser that others connect to, and return where it is. */
export async function shared() {
  return (await chromium.launchServer({ ...HERE, host: '127.0.0.1' })).wsEndpoint();
}
