/** The leaderboard as a picture for papers, as SVG: ranks with their intervals, under heads and an axis. */

import { ranksOnAxis } from '../kernel/axis';
import type { TableRow } from '../state/table';
import { shortened, widest, widthOf } from './name';

export interface Picture {
  readonly rows: readonly TableRow[];
  /** How many systems are ranked. */
  readonly ranked: number;
  readonly sentence: string;
  readonly caption: string;
  /** What a score is called, and how it is written. */
  readonly scoreName: string;
  readonly scoreText: (score: number) => string;
  /** Of intervals, in words. */
  readonly level: string;
}

const [MARGIN, ROW, LINE] = [16, 24, 18];
const [RANKS, TIER, SCORE] = [340, 44, 76];
/** Widths between which names have what they need. */
const NAMES = [90, 330] as const;
/** Letters of a picture are larger than those of which widths are known. */
const LARGER = 13 / 12;
const [INK, MUTED, HAIR, BAND] = ['#222222', '#5b6269', '#e9ecef', '#eef2f5'];
const [OWN, JOINT] = ['stroke="#8fc0de" stroke-width="7"', 'stroke="#0077bb" stroke-width="1.5"'];
const BEST = '#0077bb';
/** What XML 1.0 has no place for. */
export const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Draw rows; colours are those of the light page. */
export function svgOf({ rows, ranked, sentence, caption, scoreName, scoreText, level }: Picture): string {
  const sure = rows.some(({ intervals }) => intervals !== null);
  const names = Math.min(Math.max(widest(rows.map(({ system }) => system)) * LARGER, NAMES[0]), NAMES[1]);
  const [rank, name] = [MARGIN + 32, MARGIN + 48];
  const axis = name + names + 20;
  const tier = axis + RANKS + (sure ? TIER / 2 : 0);
  const score = axis + RANKS + (sure ? TIER : 0) + SCORE;
  const width = Math.ceil(score + MARGIN);
  const said = [
    ...broken(sentence, width - 2 * MARGIN, 1.25).map((line) => ({ line, style: 'font-size="16" font-weight="650"' })),
    ...broken(caption, width - 2 * MARGIN, LARGER).map((line) => ({ line, style: `fill="${MUTED}"` })),
  ];
  const heads = MARGIN + 22 * said.length + 22;
  const top = heads + 8;
  const foot = top + ROW * rows.length;
  const at = (value: number): number => axis + (RANKS * (value - 0.5)) / ranked;
  const ranks = ranksOnAxis(1, ranked);
  const parts = [
    ...said.map(({ line, style }, place) => text(MARGIN, MARGIN + 22 * place + 12, line, 'start', style)),
    ...rows.flatMap(({ intervals }, place) =>
      intervals !== null && intervals.tier % 2 === 1 ? [band(0, top + ROW * place, width, ROW)] : [],
    ),
    ...ranks.map((value) => line(at(value), at(value), top, foot, `stroke="${HAIR}"`)),
    text(rank, heads, 'rank', 'end', `fill="${MUTED}"`),
    text(name, heads, 'system', 'start', `fill="${MUTED}"`),
    ...ranks.map((value) => text(at(value), heads, String(value), 'middle', `fill="${MUTED}" font-size="11"`)),
    sure ? text(tier, heads, 'tier', 'middle', `fill="${MUTED}"`) : '',
    text(score, heads, scoreName, 'end', `fill="${MUTED}"`),
    line(0, width, top, top, `stroke="${INK}"`),
  ];
  rows.forEach((row, place) => {
    const { intervals } = row;
    const y = top + ROW * (place + 0.5);
    const bold = row.mayBeBest ? 'font-weight="600"' : '';
    if (row.mayBeBest) parts.push(edge(0, y - ROW / 2, ROW));
    parts.push(text(rank, y + 4, row.rank === 0 ? '–' : String(row.rank), 'end', 'font-weight="600"'));
    parts.push(text(name, y + 4, shortened(row.system, names / LARGER), 'start', bold));
    if (row.rank > 0) {
      if (intervals !== null)
        parts.push(
          line(at(intervals.rankLow), at(intervals.rankHigh), y, y, OWN),
          line(at(intervals.jointRankLow), at(intervals.jointRankHigh), y, y, JOINT),
        );
      parts.push(dot(at(row.rank), y));
    }
    if (intervals !== null && intervals.tier !== rows[place - 1]?.intervals?.tier)
      parts.push(text(tier, y + 4, String(intervals.tier), 'middle', `fill="${MUTED}"`));
    parts.push(text(score, y + 4, scoreText(row.score), 'end', ''));
  });
  parts.push(line(0, width, foot, foot, `stroke="${INK}"`), ...legend(foot + LINE + 4, sure, level));
  const height = foot + 2 * LINE + (sure ? LINE : 0) + 4;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` font-family="Helvetica Neue, Arial, Liberation Sans, sans-serif" font-size="13" fill="${INK}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>\n',
  ].join('');
}

/** What marks mean, in two lines under the rows. */
function legend(y: number, sure: boolean, level: string): string[] {
  const [first, second] = [MARGIN, MARGIN + 190];
  const word = (x: number, y: number, words: string): string => text(x, y + 4, words, 'start', `fill="${MUTED}"`);
  const drawn = [`<g fill="${INK}">`, dot(first + 14, y), word(first + 36, y, 'rank')];
  if (sure)
    drawn.push(
      edge(first + 12, y + LINE - 7, 14),
      word(first + 36, y + LINE, 'may be the best'),
      line(second, second + 28, y, y, OWN),
      word(second + 36, y, `${level} interval of this rank alone`),
      line(second, second + 28, y + LINE, y + LINE, JOINT),
      word(second + 36, y + LINE, `${level} intervals of all ranks at once`),
    );
  return [...drawn, '</g>'];
}

/** Break a text into lines between words; letters are so much wider than usual. */
function broken(words: string, room: number, wider: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && widthOf(longer) * wider <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function text(x: number, y: number, words: string, anchor: string, style: string): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${style}>${escaped(words)}</text>`;
}

function line(from: number, to: number, top: number, bottom: number, style: string): string {
  return `<line x1="${round(from)}" x2="${round(to)}" y1="${round(top)}" y2="${round(bottom)}" ${style}/>`;
}

function band(x: number, y: number, width: number, height: number, fill = BAND): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`;
}

const edge = (x: number, y: number, height: number): string => band(x, y, 3, height, BEST);

const dot = (x: number, y: number): string => `<circle cx="${round(x)}" cy="${round(y)}" r="4"/>`;

const round = (place: number): number => Number(place.toFixed(1));

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replace(FORBIDDEN, '\u{FFFD}');
}
