import { expect, test } from 'vitest';
import { rangeInWords } from './note';

test('a system has a best and a worst rank', () => {
  expect(rangeInWords('a', [2, 1, 3], ['x', 'y', 'z'])).toBe('a: at best rank 1, by y; at worst 3, by z.');
  expect(rangeInWords('a', [2, 2], ['x', 'y'])).toBe('a: rank 2 by all methods.');
});
