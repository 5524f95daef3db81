import { expect, test } from 'vitest';
import { found, holds, shortened, spaced, widest } from './name';

test('the middle of a long name is left out', () => {
  expect(shortened('a rather long name | team 104', 120)).toBe('a rather…team 104');
  expect(shortened('M7', 120)).toBe('M7');
  expect(shortened('名前が長いシステム11', 80)).toBe('名前が…ム11');
  expect(shortened('abc', 0)).toBe('a…c');
});

test('names that differ in spaces only differ where spaces are drawn as one', () => {
  expect(['a b', 'a  b', ' a'].map(spaced)).toEqual(['a b', 'a\u00a0 b', '\u00a0a']);
});

test('the longest name has the largest width', () => {
  expect(widest(['M7', '名前', 'abc'])).toBe(25);
  expect(widest([])).toBe(0);
});

test('a name is found by its words in any order', () => {
  const names = ['intfloat/e5-large-v2', 'E5', 'other'];
  expect(names.map((name) => holds(name, ' Large e5 '))).toEqual([true, false, false]);
  expect([found(names, 'e5'), found(names, 'v2 e5'), found(names, 'e6'), found(names, ' ')]).toEqual([1, 0, -1, -1]);
});
