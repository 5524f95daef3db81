import { expect, test } from 'vitest';
import { saidBy } from './note';
import type { Shown } from '../transport/server';

const head = [
  { name: 'system', right: false, label: true },
  { name: 'score', right: true, label: false },
];
const shown: Shown = {
  title: 'mean: one system',
  about: '',
  verdict: ['bert is first', 'the leader stays first'],
  tables: [{ caption: '', foot: 0, head, rows: [['bert', 't']] }],
  notes: [],
  explain: [],
};

test('sentences begin with capitals, except names', () => {
  expect(saidBy(shown)).toEqual({ title: 'bert is first', lines: ['The leader stays first'] });
  expect(saidBy({ ...shown, verdict: [] })).toEqual({ title: 'Mean: one system', lines: [] });
  const compared = { ...shown, about: 'bert against t5', verdict: ['on average 0.2 better', 'one task'] };
  expect(saidBy(compared)).toEqual({ title: 'bert against t5: on average 0.2 better', lines: ['One task'] });
});
