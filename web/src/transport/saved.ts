/** What leaves the page: files, and the page itself with its view in it. */

import { fromHash, type Address } from '../text/address';

/** The view that a page opens with: that of a link, or else the one it was saved with; added systems of either. */
export function openingView(): Address {
  const saved = fromHash(document.getElementById('app')?.dataset.view ?? '');
  if (location.hash === '') return saved;
  const { own, ownTasks } = saved;
  const here = fromHash(location.hash);
  return here.own.length > 0 ? here : { ...here, own, ownTasks };
}

/** This very page as a file that opens in a view; what a server holds beside it comes into it. */
export async function pageWith(view: string): Promise<string> {
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  copy.removeAttribute('data-theme'); // that is up to the reader
  const app = copy.querySelector<HTMLElement>('#app');
  app?.replaceChildren();
  app?.setAttribute('data-view', view);
  // what a folder asks for early, and its policy, are those of a server
  if (copy.querySelector('script[src]') !== null)
    for (const part of copy.querySelectorAll('meta[http-equiv], link[rel=preload]')) part.remove();
  for (const script of copy.querySelectorAll('script[src]')) script.replaceWith(await inlined(script, 'src', 'script'));
  for (const style of copy.querySelectorAll('link[rel=stylesheet]'))
    style.replaceWith(await inlined(style, 'href', 'style'));
  for (const part of copy.querySelectorAll<HTMLElement>('[data-at]')) await hold(part);
  return `<!doctype html>\n${copy.outerHTML}\n`;
}

async function inlined(part: Element, address: string, tag: string): Promise<Element> {
  const own = document.createElement(tag);
  own.textContent = await (await fetch(part.getAttribute(address) ?? '')).text();
  return own;
}

/** Put what lies at an address into the page, as text in base 64. */
async function hold(part: HTMLElement): Promise<void> {
  const reader = new FileReader();
  reader.readAsDataURL(await (await fetch(part.dataset.at ?? '')).blob());
  await new Promise((resolve) => (reader.onloadend = resolve));
  part.textContent = (reader.result as string).replace(/.*,/, '');
  part.removeAttribute('data-at');
}

/** Let the reader save a file. */
export function save(name: string, content: Blob | string, kind = 'text/plain'): void {
  const address = URL.createObjectURL(new Blob([content], { type: kind }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Open the print dialog with a picture on a page of its size: it saves PDF. */
export function print(svg: string, name: string): void {
  const frame = document.createElement('iframe');
  frame.className = 'hidden';
  document.body.append(frame);
  const [own, paper] = [frame.contentWindow, frame.contentDocument];
  if (own === null || paper === null) return;
  const drawn = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const sheet = new (own as Window & typeof globalThis).CSSStyleSheet();
  const [width, height] = ['width', 'height'].map((side) => `${drawn.getAttribute(side) ?? ''}px`);
  sheet.replaceSync(`@page { size: ${width} ${height}; margin: 0 } body { margin: 0 } svg { display: block }`);
  paper.adoptedStyleSheets = [sheet];
  paper.title = name;
  paper.body.append(drawn);
  own.onafterprint = (): void => frame.remove();
  own.print();
}

/** A picture in dots, two for each of its own. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the picture is too large')) : resolve(blob))),
  );
}
