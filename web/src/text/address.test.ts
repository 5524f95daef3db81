import { expect, test } from 'vitest';
import { fromHash, PLAIN, toHash, type Address } from './address';

test.each<Address>([
  PLAIN,
  { ...PLAIN, way: 'mean' },
  { ...PLAIN, groups: [['a:b,c', 0.25]], open: ['a:b,c', 'd'], sort: '*a:b,c', pinnedGroups: [['d', 0]] },
  { ...PLAIN, weights: [['a:b,c', 0.25]], sort: ':50% & more', query: 'M7 = "x"' },
  {
    view: 'difficulty',
    recipe: 'bias;thresholds=0.8,0.5',
    pair: ['a=b&c', '名前'],
    weights: [
      ['名前', 0],
      ['b', 1e-7],
    ],
    groups: [['b', 3]],
    open: ['名前'],
    way: 'two',
    pinned: [['b', 2]],
    pinnedGroups: [['b', 2]],
    pinnedWay: 'mean',
    out: ['a,b', '名'],
    sort: 'name',
    query: '#',
    filters: ['a%3Ab:=:c%2Cd', 'size:~:1:'],
    colour: 'a&b',
    fold: 'b=c',
    least: 0.5,
    hard: true,
    model: true,
    numbers: 'beaten',
    explained: false,
    data: '1x2y',
    presets: [['a=b & ;c', [['名前', 2]]]],
    picked: 'a&n=名前',
    own: [['<b>y.', [['a:b', -1.5e-7]]]],
    ownTasks: [['a:b', -2]],
  },
])('%o comes back', (view) => {
  expect(fromHash(toHash(view))).toEqual(view);
});

test('what makes no sense is left out', () => {
  expect(fromHash('#w=a:-1,b:x,c,d:2,e:,%:3,f:1e308,g:Infinity&z=1&s')).toEqual({
    ...PLAIN,
    weights: [
      ['d', 2],
      ['%', 3],
    ],
    sort: '',
    query: '',
  });
  expect(fromHash('')).toEqual(PLAIN);
});
