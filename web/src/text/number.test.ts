import { expect, test } from 'vitest';
import { columnText, countText, fixed, inBytes, shareText } from './number';

test('halves are rounded away from zero, also if a binary fraction lies a hair beside one', () => {
  const pairs: [number, number, string][] = [
    [56.25, 1, '56.3'],
    [56.75, 1, '56.8'],
    [-56.25, 1, '-56.3'],
    [0.35, 1, '0.4'],
    [0.0625, 3, '0.063'],
    [0.1875, 3, '0.188'],
    [0.5625, 3, '0.563'],
    [2.5, 0, '3'],
    [1.005, 2, '1.01'],
    [0.325 - 0.3, 2, '0.03'],
    [0.0249, 2, '0.02'],
    [9.995, 2, '10.00'],
    [100, 1, '100.0'],
  ];
  for (const [number, digits, text] of pairs) expect(fixed(number, digits)).toBe(text);
});

test('shares and sizes are short', () => {
  expect(shareText(0.5)).toBe('.500');
  expect(shareText(1)).toBe('1.000');
  expect([inBytes(0), inBytes(999), inBytes(160_000), inBytes(2.5e9)]).toEqual([
    '0 bytes',
    '1000 bytes',
    '160 kB',
    '2.5 GB',
  ]);
});

test('a column has one number of decimals, and no negative zero', () => {
  const written = (numbers: number[]): string[] => numbers.map(columnText(numbers));
  expect(written([0.9, 0.87125, 0.5, -0.00001])).toEqual(['0.9000', '0.8713', '0.5000', '0.0000']);
  expect(written([100, 88.125, 9.5, NaN])).toEqual(['100.00', '88.13', '9.50', '–']);
  expect(written([1200, -1500])).toEqual(['1200', '−1500']);
  expect(written([0])).toEqual(['0.000']);
  expect([-0.0001, -0.056].map(shareText)).toEqual(['.000', '−.056']);
});

test('numbers have separators', () => {
  expect([0, 999, 1000, 12_009, 1_234_567].map(countText)).toEqual(['0', '999', '1,000', '12,009', '1,234,567']);
});
