/** The parts of the data of a page. Each stands in the page as text, or lies at an address; all but the first can wait. */

import { unpacked, type Bundle } from './bundle';

export type Part = 'data' | 'difficulty' | 'hard' | 'instances' | 'slices' | 'words';

/** What a page says that lies beside its data on a disk, where no browser reads them. */
const FROM_A_DISK =
  'This folder needs a web server. Put it on any, or try it with: python -m http.server. For a file that opens from a disk, make the page with -o board.html.';

const DAMAGED = 'Its data are damaged, or not whole. Copy or download it again.';

/** Whether a page has a part; the first page of a server has none. */
export function has(part: Part): boolean {
  return holder(part) !== null;
}

export async function read(part: Part): Promise<Bundle> {
  const found = holder(part);
  const address = found?.dataset.at;
  const there = address === undefined ? null : await fetched(address);
  try {
    return await unpacked(there ?? decoded(found?.textContent ?? ''));
  } catch (error) {
    throw new Error(DAMAGED, { cause: error });
  }
}

function holder(part: Part): HTMLElement | null {
  return document.getElementById(`podium-${part}`);
}

/** What young browsers decode by themselves, in a tenth of the time. */
const Bytes = Uint8Array as typeof Uint8Array & { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

/** Text in base 64, in which nothing can be taken for markup. */
function decoded(text: string): Blob {
  const bytes = Bytes.fromBase64?.(text) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Blob([bytes]);
}

async function fetched(address: string): Promise<Blob> {
  const response = await fetch(address).catch(() => null);
  if (response?.ok === true) return response.blob();
  throw new Error(
    location.protocol === 'file:' ? FROM_A_DISK : `${address} does not come from the server. Load the page again.`,
  );
}
