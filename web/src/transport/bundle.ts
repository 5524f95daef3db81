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
  arrays: { name: string; kind: keyof typeof KINDS; shape: number[]; first: number }[];
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
  const arrays = header.arrays.map(({ name, kind, shape, first }): [string, PackedArray] => {
    const length = shape.reduce((size, side) => size * side, 1);
    return [name, { values: new KINDS[kind](whole, body + first, length), shape }];
  });
  return { content: header.content, arrays: new Map(arrays) };
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
