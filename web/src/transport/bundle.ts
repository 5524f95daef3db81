/** What Python packed for the page: content and arrays in one compressed piece, see `podium.webpage.shell`. */

export type NumberArray = Float64Array | Int32Array | Int8Array | Uint8Array;

interface PackedArray {
  readonly values: NumberArray;
  readonly shape: readonly number[];
}

export interface Bundle {
  readonly content: unknown;
  readonly arrays: ReadonlyMap<string, PackedArray>;
}

interface Header {
  content: unknown;
  arrays: { name: string; kind: keyof typeof KINDS; shape: number[]; first: number; usual?: number | null }[];
}

const KINDS = { float64: Float64Array, int32: Int32Array, int8: Int8Array, uint8: Uint8Array };

/** Bytes of the length of the header. */
const LENGTH = 8;

/** Unpack what `packed` made. */
export async function unpacked(compressed: Blob): Promise<Bundle> {
  const stream = compressed.stream().pipeThrough(new DecompressionStream('gzip'));
  return sliced(await new Response(stream).arrayBuffer());
}

function sliced(whole: ArrayBuffer): Bundle {
  const body = LENGTH + Number(new DataView(whole).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(whole, LENGTH, body - LENGTH))) as Header;
  const arrays = header.arrays.map(({ name, kind, shape, first, usual }): [string, PackedArray] => {
    const length = shape.reduce((size, side) => size * side, 1);
    const held = (): NumberArray => new KINDS[kind](whole, body + first, length);
    return [name, { values: usual === undefined ? held() : filled(whole, body + first, length, usual ?? NaN), shape }];
  });
  return { content: header.content, arrays: new Map(arrays) };
}

/** Numbers most of which are one: a bit for each says whether it is another, and these follow. */
function filled(whole: ArrayBuffer, first: number, length: number, usual: number): Float64Array {
  const bits = new Uint8Array(whole, first, Math.ceil(length / 8));
  const others = new Float64Array(whole, first + 8 * Math.ceil(bits.length / 8));
  const values = new Float64Array(length).fill(usual);
  let next = 0;
  bits.forEach((byte, at) => {
    for (let [left, cell] = [byte, 8 * at]; left > 0; left >>= 1, cell += 1)
      if ((left & 1) === 1) values[cell] = others[next++];
  });
  return values;
}

/** Numbers of levels, one plane for each bit, eight cells in a byte, the first in its lowest bit; without levels as they are. */
export function fromLevels(held: NumberArray, levels: readonly (number | null)[] | null, cells: number): Float64Array {
  if (levels === null) return held as Float64Array;
  const planes = held as Uint8Array;
  const length = Math.ceil(cells / 8);
  const known = Float64Array.from(levels, (level) => level ?? NaN);
  return new Float64Array(cells).map((_, cell) => {
    let number = 0;
    for (let plane = 0; plane * length < planes.length; plane += 1)
      number |= ((planes[plane * length + (cell >> 3)] >> (cell & 7)) & 1) << plane;
    return known[number];
  });
}
