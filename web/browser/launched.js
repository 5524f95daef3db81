/** A real browser without a network of its own: a new one, or one of a process that keeps it open for many (CHROMIUM). */
import { chromium } from 'playwright-core';

const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'];
const HERE = { executablePath: '/usr/bin/chromium', args: QUIET };

/** Return a browser; what is opened in it is its own, and closed with it. */
export function launched() {
  const { CHROMIUM } = process.env;
  return CHROMIUM === undefined ? chromium.launch(HERE) : chromium.connect(CHROMIUM);
}

/** Start a browser that others connect to, and return where it is. */
export async function shared() {
  return (await chromium.launchServer({ ...HERE, host: '127.0.0.1' })).wsEndpoint();
}
