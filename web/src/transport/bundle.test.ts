import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unpacked } from './bundle';

test('what Python packed comes out', async () => {
  const file = readFileSync(join(import.meta.dirname, '../../cases/bundle.bin'));
  const { content, arrays } = await unpacked(new Blob([file]));
  expect(content).toEqual({ text: 'Ünï\u2028</script>😀', number: 0.1, none: null });
  expect(arrays.get('float64')).toEqual({
    values: Float64Array.of(0.1, -1e300, NaN, Infinity, 5e-324, -0),
    shape: [2, 3],
  });
  const places = Array.from({ length: 70 }, (_, at) => at);
  const [none, one] = ['mostly NaN', 'mostly one'].map((name) => arrays.get(name)?.values);
  expect(none).toEqual(Float64Array.from(places, (at) => (at % 9 === 8 ? at / 7 : NaN)));
  expect(one).toEqual(Float64Array.from(places, (at) => (at % 32 === 31 ? NaN : 0.5)));
  expect(arrays.get('int32')).toEqual({ values: Int32Array.of(-(2 ** 31), 2 ** 31 - 1), shape: [2, 1] });
  expect(arrays.get('int8')?.values).toEqual(Int8Array.from({ length: 256 }, (_, index) => index - 128));
  expect(arrays.get('uint8')).toEqual({ values: new Uint8Array(0), shape: [0, 3] });
});
