/** Names of systems and tasks where room is short. */

/** Width of a text of 12 px, about; letters of Chinese, Japanese and Korean are twice as wide. */
export function widthOf(text: string): number {
  return Array.from(text).reduce((sum, letter) => sum + (letter > '\u2e7f' ? 12.5 : 7), 0);
}

/** Width of the longest of some texts. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}

/** A name that fits into so much room: its middle is left out, because names often begin or end alike. */
export function shortened(name: string, room: number): string {
  if (widthOf(name) <= room) return name;
  const letters = Array.from(name);
  let [head, tail] = [letters.length, 0];
  const cut = (): string => `${letters.slice(0, head).join('')}…${letters.slice(letters.length - tail).join('')}`;
  for (let kept = letters.length - 1; kept > 1; kept -= 1) {
    [head, tail] = [Math.ceil(kept / 2), Math.floor(kept / 2)];
    if (widthOf(cut()) <= room) break;
  }
  return cut();
}

/** A name for a list to choose from, in which browsers would draw several spaces as one. */
export function spaced(name: string): string {
  return name.replace(/^ | (?= )| $/g, '\u00a0');
}

/** Whether a name holds all words that were typed, in any order. */
export function holds(name: string, typed: string): boolean {
  const lower = name.toLocaleLowerCase();
  return typed
    .toLocaleLowerCase()
    .trim()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

/** The first name that holds what was typed, by its place; one of that very text goes before. −1 for none. */
export function found(names: readonly string[], typed: string): number {
  const wanted = typed.trim().toLocaleLowerCase();
  if (wanted === '') return -1;
  const exact = names.findIndex((name) => name.trim().toLocaleLowerCase() === wanted);
  return exact >= 0 ? exact : names.findIndex((name) => holds(name, wanted));
}
