import { expect, test } from 'vitest';
import { groupsInWords, tasksInWords } from './sentence';

test.each([
  ['given', 'Bold: groups, with'],
  ['beginning', 'Bold: groups of tasks whose names begin alike, with'],
  ['ending', 'Bold: groups of tasks whose names end alike, with'],
] as const)('groups by %s', (by, said) => {
  expect(groupsInWords(by, false).startsWith(said)).toBe(true);
});

test('the mean leaves out what has no score', () => {
  expect(groupsInWords('given', false)).toContain('counts there as it does in the ranking');
  expect(groupsInWords('given', true)).toContain('counts for nothing');
});

test.each([
  ['0', [], 'one task'],
  ['000', [], 'all three tasks'],
  ['010', [], 'two of three tasks'],
  [
    '0000',
    [
      [0, 1],
      [2, 3],
    ],
    'all four tasks in two groups',
  ],
  [
    '00000',
    [
      [0, 1],
      [2, 3],
    ],
    'all five tasks, four of them in two groups',
  ],
  [
    '00011',
    [
      [0, 1, 2],
      [3, 4],
    ],
    'three of five tasks in one group',
  ],
  [
    '11110',
    [
      [0, 1],
      [2, 3],
    ],
    'one of five tasks',
  ],
])('tasks %s in groups %o', (silent, groups, said) => {
  expect(
    tasksInWords(
      silent,
      groups.map((tasks) => ({ tasks })),
    ),
  ).toBe(said);
});
