import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonArrayReader, JsonStreamError, writeJsonArray } from '../../../../src/protocol/bodies/json-array-stream.ts';

function read(text: string | Uint8Array, piece: number, key = 'files'): { items: unknown[]; head: unknown } {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const reader = new JsonArrayReader(key);
  const items: unknown[] = [];
  for (let start = 0; start < bytes.length; start += piece)
    items.push(...reader.push(bytes.subarray(start, start + piece)));
  return { items, head: reader.end() };
}

async function write(...input: Parameters<typeof writeJsonArray>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of writeJsonArray(...input)) parts.push(part);
  return Buffer.concat(parts);
}

describe('reading', () => {
  test('equals JSON.parse for pieces of any size', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const fields = fc.dictionary(
      fc.string().filter((key) => key !== 'files' && key !== '__proto__'),
      value,
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(
        fields,
        fc.array(value),
        fields,
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (before, files, after, piece, spaced) => {
          const object = { ...before, files, ...after };
          const text = JSON.stringify(object, null, spaced ? 2 : 0);
          const parsed = JSON.parse(text) as { files: unknown[] };
          expect(read(text, piece)).toEqual({ items: parsed.files, head: { ...parsed, files: [] } });
        },
      ),
    );
  });

  test('ignores the key within values, nested objects and strings', () => {
    const text = '{"a":"files","b":{"files":[1]},"c":"\\"files\\":[2]","files":["],[",{"files":[3]}]}';
    expect(read(text, 1).items).toEqual(['],[', { files: [3] }]);
  });

  test.each([
    ['', 'nothing'],
    ['[]', 'no object'],
    ['{"other":[]}', 'no such array'],
    ['{"files":{}}', 'not an array'],
    ['{"files":[1,2]', 'cut off'],
    ['{"files":[1,,2]}', 'a hole'],
    ['{"files":[1 2]}', 'no comma'],
    ['{"files":[1]}}', 'one bracket too many'],
    ['{"files":[],"files":[]}', 'twice'],
    ['{"files":[}', 'brackets of two kinds'],
    ['<html>', 'HTML'],
    ['{"files":[1]} trailing', 'something after it'],
  ])('refuses %j: %s', (text) => {
    for (const piece of [1, 3, 1000]) expect(() => read(text, piece)).toThrow(JsonStreamError);
  });

  test('rejects invalid UTF-8', () => {
    expect(() => read(Buffer.from([...Buffer.from('{"files":["'), 0xff, ...Buffer.from('"]}')]), 1000)).toThrow(
      JsonStreamError,
    );
  });

  test('buffers one element at most, and rejects one without an end', () => {
    const reader = new JsonArrayReader('files', undefined, { element: 1000, head: 100 });
    reader.push(Buffer.from('{"files":['));
    expect(() => {
      for (let index = 0; index < 100; index += 1) reader.push(Buffer.from('"'.padEnd(50, 'x')));
    }).toThrow('more than 1000 bytes');
    expect(() =>
      new JsonArrayReader('files', undefined, { element: 1000, head: 100 }).push(
        Buffer.from(`{"a":"${'x'.repeat(200)}`),
      ),
    ).toThrow('100 bytes');
  });
});

describe('writing', () => {
  test('writes fields before and after the elements of all batches', async () => {
    const bytes = await write('files', { device_id: 'd' }, [[1, { a: 'é' }], [], ['x']], () => ({ total: 3 }));
    expect(bytes.toString()).toBe('{"device_id":"d","files":[1,{"a":"é"},"x"],"total":3}');
    expect((await write('files', {}, [])).toString()).toBe('{"files":[]}');
  });

  test('accepts asynchronous batches', async () => {
    async function* batches(): AsyncGenerator<number[]> {
      yield [1];
      await Promise.resolve();
      yield [2];
    }
    expect((await write('files', {}, batches())).toString()).toBe('{"files":[1,2]}');
  });

  test('writes large arrays in pieces', async () => {
    const parts: number[] = [];
    for await (const part of writeJsonArray('files', {}, [Array.from({ length: 1000 }, () => 'x'.repeat(1000))]))
      parts.push(part.length);
    expect(parts.length).toBeGreaterThan(10);
    expect(Math.max(...parts)).toBeLessThan(80_000);
  });
});

describe('long lists', () => {
  const long = {
    key: 'chunks',
    fold: () => {
      const parts: unknown[] = [];
      return {
        add: (items: readonly unknown[]) => void parts.push(...items),
        end: (element: object) => ({ ...element, parts: [...parts] }),
      };
    },
  };
  const item = (index: number) => ({ hash: `${index}`.padStart(64, '0'), tags: [index, { a: [',', ']'] }] });
  const items = Array.from({ length: 3000 }, (_, index) => item(index));

  function readLong(text: string, piece: number) {
    const bytes = Buffer.from(text);
    const reader = new JsonArrayReader('files', long);
    const elements: unknown[] = [];
    for (let start = 0; start < bytes.length; start += piece)
      elements.push(...reader.push(bytes.subarray(start, start + piece)));
    reader.end();
    return elements as Record<string, unknown>[];
  }

  test.each([1000, 7777, 100_000])('are passed on in parts of %s bytes, in order', (piece) => {
    const other = { path: '/small', chunks: [1] };
    const text = JSON.stringify({ files: [other, { a: { b: [1] }, path: '/a', chunks: items, after: [2] }, other] });
    const [first, element, last] = readLong(text, piece);
    expect(first).toEqual(other);
    expect(last).toEqual(other);
    const { parts, chunks, ...rest } = element as { parts: unknown[]; chunks: unknown[] };
    expect(parts.length).toBeGreaterThan(piece === 100_000 ? 1 : 1500);
    expect([...parts, ...chunks]).toEqual(items);
    expect(rest).toEqual({ a: { b: [1] }, path: '/a', after: [2] });
  });

  test('end before a long object', () => {
    const other = Object.fromEntries(items.map((value, index) => [`k${index}`, value]));
    const text = JSON.stringify({ files: [{ chunks: [1, 2], other }] });
    expect(readLong(text, 1000)).toEqual([{ chunks: [1, 2], other }]);
  });

  test('leaves lists of other names whole', () => {
    const element = { chunks: [], other: items };
    expect(readLong(JSON.stringify({ files: [element] }), 1000)).toEqual([element]);
  });

  test('starts anew with the next element', () => {
    const elements = readLong(JSON.stringify({ files: [{ chunks: items }, { chunks: items }] }), 1000);
    for (const { parts, chunks } of elements) expect([...(parts as []), ...(chunks as [])]).toEqual(items);
  });

  test('refuses a list of more bytes than the limit', () => {
    const reader = new JsonArrayReader('files', long, { list: 100_000 });
    const bytes = Buffer.from(JSON.stringify({ files: [{ chunks: items }] }));
    expect(() => {
      for (let start = 0; start < bytes.length; start += 1000) reader.push(bytes.subarray(start, start + 1000));
    }).toThrow('more than 100000 bytes in one list');
  });
});

test.each(['[', '{"a":'])('refuses deep nesting with %s', (opening) => {
  for (const before of ['{"files":[', '{"a":']) {
    const reader = new JsonArrayReader('files');
    expect(() => reader.push(Buffer.from(before + opening.repeat(100)))).toThrow('more than 64 levels');
    expect(() => new JsonArrayReader('files').push(Buffer.from(before + opening.repeat(60)))).not.toThrow();
  }
});
