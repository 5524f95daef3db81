/**
 * Keep a browser open for the other programs of this folder, until the input ends; say where it is, for CHROMIUM.
 *
 * node keep-open.js
 */
import { shared } from './launched.js';

console.log(await shared());
process.stdin.on('end', () => process.exit()).resume();
