/** A table as CSV, with all digits, and as LaTeX, as it is read. */

/** Numbers that do not exist are NaN. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** CSV; numbers that do not exist are empty. */
export function csvOf({ head, rows }: Table): string {
  const line = (cells: readonly (string | number)[]): string =>
    cells.map((cell) => (typeof cell === 'string' ? quoted(cell) : Number.isNaN(cell) ? '' : String(cell))).join(',');
  return [line(head), ...rows.map(line), ''].join('\r\n');
}

function quoted(text: string): string {
  return /[",\r\n]|^[=+@-]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A LaTeX table, without a package, under a comment; numbers with four digits. */
export function latexOf({ head, rows }: Table, caption: string): string {
  const sides = head.map((_, column) => (rows.some((row) => typeof row[column] === 'string') ? 'l' : 'r'));
  const body = rows.map((row) => `${row.map(latexCell).join(' & ')} \\\\`);
  return [
    `% ${caption.replace(/\s+/g, ' ')}`,
    `\\begin{tabular}{${sides.join('')}}`,
    '\\hline',
    `${head.map(escaped).join(' & ')} \\\\`,
    '\\hline',
    ...body,
    '\\hline',
    '\\end{tabular}',
    '',
  ].join('\n');
}

function latexCell(cell: string | number): string {
  if (typeof cell === 'string') return escaped(cell);
  return Number.isFinite(cell) ? String(Number(cell.toPrecision(4))).replace('-', '$-$') : '–';
}

const ESCAPES: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '|': '\\textbar{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
};

function escaped(text: string): string {
  return text.replace(/[\\~^|<>&%$#_{}]/g, (letter) => ESCAPES[letter] ?? `\\${letter}`);
}
