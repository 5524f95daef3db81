/** The view as a command of podium, for a POSIX shell. */

import { isShare, type Way } from '../kernel/way';

/** Letters that a shell leaves alone. */
const PLAIN = /^[\w@%+=:,./-]+$/;

export interface View {
  readonly tasks: readonly string[];
  readonly weights: readonly number[];
  /** A level of Borda, or another method; null for the usual one. */
  readonly way: Way | null;
  /** Systems that are left out. */
  readonly out: readonly string[];
  /** Whether scores are missing, and count as the page counts them. */
  readonly imputed?: boolean;
}

/** The command that ranks so; weights of 1 need not be said. */
export function commandOf(command: string, { tasks, weights, way, out, imputed }: View): string {
  const said = tasks.flatMap((task, index) =>
    weights[index] === 1 ? [] : [`${task.replaceAll(',', '\\,')}=${String(weights[index])}`],
  );
  const how = way === null ? '' : isShare(way) ? ` --level ${way}` : ` --method ${way.replace('-prior', ' --prior 1')}`;
  const missing = imputed === true ? ' --missing imputed' : '';
  const globs = out.map((name) => `!${name.replaceAll(',', '\\,')}`).join(',');
  const without = out.length === 0 ? '' : ` --systems ${quoted(globs)}`;
  return `${command}${how}${missing}${without}${said.length === 0 ? '' : ` --task-weights ${quoted(said.join(','))}`}`;
}

export function quoted(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
