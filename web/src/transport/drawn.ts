/** The figures on the screen as one picture. */

import { FORBIDDEN } from '../text/picture';

const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Figures; small drawings in texts are none. */
const FIGURES = 'figure svg:not([aria-hidden])';

/** What styles say of a shape, and the picture has to say itself: in attributes, since the policy allows no styles. */
const STYLES = [
  ...['color', 'fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'transform'],
  ...['font-size', 'font-weight', 'text-anchor', 'dominant-baseline', 'display'],
] as const;

const [MARGIN, LINE, BETWEEN] = [16, 22, 28];

/** Whether a view has figures to take. */
export function hasFigures(view: Element): boolean {
  return view.querySelector(FIGURES) !== null;
}

/** Draw the figures of a view below each other, in the colours that they have, under some lines of text. */
export function figuresOf(view: Element, lines: readonly string[]): string {
  const figures = [...view.querySelectorAll<SVGSVGElement>(FIGURES)];
  const sizes = figures.map((figure) => figure.getBoundingClientRect());
  const width = Math.ceil(Math.max(...sizes.map((size) => size.width)) + 2 * MARGIN);
  const page = getComputedStyle(document.body);
  const whole = shape('svg', { xmlns: NAMESPACE, width, 'font-family': page.fontFamily, fill: page.color });
  const ground = shape('rect', { width, fill: page.backgroundColor });
  whole.append(ground);
  let top = MARGIN;
  for (const line of lines) {
    top += LINE;
    whole.append(text(line, top));
  }
  figures.forEach((figure, at) => {
    const heading = figure.closest('figure')?.querySelector('h2, h3')?.textContent ?? '';
    if (heading !== '') whole.append(text(heading.trim(), (top += BETWEEN)));
    const copy = styled(figure, figure.cloneNode(true) as SVGSVGElement);
    set(copy, {
      x: MARGIN,
      y: top + MARGIN / 2,
      width: sizes[at].width,
      height: sizes[at].height,
      overflow: 'visible',
    });
    whole.append(copy);
    top += MARGIN / 2 + sizes[at].height;
  });
  const height = Math.ceil(top + MARGIN);
  set(ground, { height });
  set(whole, { height, viewBox: `0 0 ${width} ${height}` });
  return `${new XMLSerializer().serializeToString(whole).replace(FORBIDDEN, '\u{FFFD}')}\n`;
}

/** Give a copy the styles of its original, and take from it what is for readers of the screen. */
function styled<Shape extends Element>(original: Element, copy: Shape): Shape {
  const style = getComputedStyle(original);
  for (const name of copy.getAttributeNames())
    if (/^(class|style|role|tabindex|aria-.*)$/.test(name)) copy.removeAttribute(name);
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (name !== 'transform' || value !== 'none') copy.setAttribute(name, value);
  }
  [...original.children].forEach((child, at) => styled(child, copy.children[at]));
  return copy;
}

function text(line: string, top: number): Element {
  const made = shape('text', { x: MARGIN, y: top, 'font-size': 14, 'font-weight': 650 });
  made.textContent = line;
  return made;
}

function shape(name: string, attributes: Record<string, string | number>): Element {
  return set(document.createElementNS(NAMESPACE, name), attributes);
}

function set(element: Element, attributes: Record<string, string | number>): Element {
  for (const [name, value] of Object.entries(attributes))
    if (name !== 'xmlns') element.setAttribute(name, String(value));
  return element;
}
