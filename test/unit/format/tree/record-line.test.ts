import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeRecords, encodeRecord } from '../../../../src/format/tree/record-line.ts';
import type { TreeRecord } from '../../../../src/format/tree/record.ts';
import { anyRecord, anyRecords, chunkListOf, fileRecord, plain } from './records.ts';

/** One chunk of three bytes: digest and size. */
const CHUNKS = Buffer.concat([Buffer.alloc(32, 5), Buffer.of(0, 0, 0, 3)]).toString('base64');
/** The chunk of `fileRecord`. */
const TEN = Buffer.concat([Buffer.alloc(32, 10), Buffer.of(0, 0, 0, 10)]).toString('base64');

const LINE = {
  t: 'f',
  p: '/a/b',
  m: 0o644,
  mt: '-1',
  bt: '5',
  u: 1,
  g: 2,
  s: 3,
  c: CHUNKS,
};

describe('a record line', () => {
  test.each<[string, TreeRecord, string]>([
    [
      'file',
      fileRecord('/a'),
      '{"t":"f","p":"/a","m":420,"mt":"1767225600123456789","u":1000,"g":1000,"s":10,"c":"' + TEN + '"}',
    ],
    [
      'file with everything',
      {
        ...fileRecord('/"\n\\'),
        birthtimeNs: -5n,
        hardLinkGroup: '1:2',
        sparse: true,
        xattrs: { 'user.z': Buffer.from('z'), 'user.a': new Uint8Array(0) },
      },
      '{"t":"f","p":"/\\"\\n\\\\","m":420,"mt":"1767225600123456789","bt":"-5","u":1000,"g":1000,"s":10,"c":"' +
        TEN +
        '","h":"1:2","sp":1,"x":{"user.a":"","user.z":"eg=="}}',
    ],
    [
      'directory',
      {
        type: 'directory',
        path: 'C:/d',
        mode: 0o1777,
        mtimeNs: 0n,
        birthtimeNs: undefined,
        uid: 0,
        gid: 0,
        xattrs: undefined,
      },
      '{"t":"d","p":"C:/d","m":1023,"mt":"0","u":0,"g":0}',
    ],
    [
      'symlink',
      {
        type: 'symlink',
        path: '/l',
        mode: 0o777,
        mtimeNs: 0n,
        birthtimeNs: undefined,
        uid: 0,
        gid: 0,
        xattrs: undefined,
        target: 'é',
      },
      '{"t":"l","p":"/l","m":511,"mt":"0","u":0,"g":0,"l":"é"}',
    ],
  ])('encodes and decodes a %s', (_, record, line) => {
    expect(encodeRecord(record)).toBe(line);
    expect(plain(decodeRecords(`${line}\n`).records)).toEqual(plain([record]));
  });

  test('has no chunks when the file is empty', () => {
    const empty = { ...fileRecord('/a'), size: 0, chunks: Buffer.alloc(0) };
    const line = encodeRecord(empty);
    expect(JSON.parse(line)).not.toHaveProperty('c');
    expect(plain(decodeRecords(`${line}\n`).records)).toEqual(plain([empty]));
  });

  test('encodes any record as one line of JSON', () => {
    fc.assert(
      fc.property(
        anyRecords.map((records) => records.slice(0, 5)).filter((records) => records.length > 0),
        (records) => {
          const lines = records.map(encodeRecord);
          for (const line of lines) {
            expect(line).not.toContain('\n');
            JSON.parse(line);
          }
          const decoded = decodeRecords(lines.map((line) => `${line}\n`).join('')).records;
          expect(plain(decoded)).toEqual(plain(records));
        },
      ),
    );
  });

  test('survives UTF-8 whatever the name', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const line = encodeRecord(record);
        expect(Buffer.from(line, 'utf8').toString('utf8')).toBe(line);
      }),
    );
  });

  test('ignores unknown fields', () => {
    const line = JSON.stringify({ ...LINE, later: [1] });
    expect(decodeRecords(`${line}\n`)).toMatchObject({
      records: [{ path: '/a/b', mtimeNs: -1n, birthtimeNs: 5n, size: 3 }],
      refused: [],
    });
  });

  test.each<[string, unknown]>([
    ['another type', { ...LINE, t: 'x' }],
    ['a mode with a file type', { ...LINE, m: 0o100644 }],
    ['a broken number', { ...LINE, m: 1.5 }],
    ['a negative size', { ...LINE, s: -1 }],
    ['no size', { ...LINE, s: undefined }],
    ['a time as a number', { ...LINE, mt: 5 }],
    ['a time that is not an integer', { ...LINE, mt: '5e3' }],
    ['a time of 10,000 digits', { ...LINE, mt: '1'.repeat(10_000) }],
    ['a symlink without a target', { ...LINE, t: 'l' }],
    ['attributes that are a list of numbers', { ...LINE, x: [1] }],
    ['attributes that are text', { ...LINE, x: 'x' }],
    ['another size than its chunks', { ...LINE, s: 4 }],
    ['a size without chunks', { ...LINE, c: undefined }],
    ['chunks without a size', { ...LINE, s: 0 }],
    ['half a chunk', { ...LINE, c: CHUNKS.slice(0, 24) }],
    ['chunks that are not base64', { ...LINE, c: `!${CHUNKS.slice(1)}` }],
    ['chunks with a character more', { ...LINE, c: `${CHUNKS}!` }],
    ['chunks as a list', { ...LINE, c: [CHUNKS] }],
    ['a chunk of no bytes', { ...LINE, s: 0, c: Buffer.alloc(36).toString('base64') }],
    ['a chunk above 4 MiB', { ...LINE, s: 2 ** 22 + 1, c: chunkListOf([2 ** 22 + 1]).toString('base64') }],
  ])('is refused by itself when it has %s', (_, value) => {
    const other = JSON.stringify({ ...LINE, p: '/a/c' });
    const decoded = decodeRecords(`${JSON.stringify(value)}\n${other}\n`);
    expect(decoded).toMatchObject({ refused: ['/a/b'], records: [{ path: '/a/c' }] });
  });

  test.each<[string, unknown]>([
    ['is a number', 5],
    ['is null', null],
    ['has no path', { ...LINE, p: undefined }],
    ['has a relative path', { ...LINE, p: 'a/b' }],
    ['has a path with parent segments', { ...LINE, p: '/a/../b' }],
    ['has a reserved path', { ...LINE, p: '/.holdfast/tree' }],
  ])('is refused without a name when it %s', (_, value) => {
    expect(decodeRecords(`${JSON.stringify(value)}\n`)).toEqual({ refused: [undefined], records: [] });
  });

  test('is refused with its whole piece when paths do not ascend', () => {
    const line = JSON.stringify(LINE);
    expect(() => decodeRecords(`${line}\n${line}\n`)).toThrow('tree_invalid: reason=order');
  });

  test('is refused when it does not end', () => {
    expect(() => decodeRecords(JSON.stringify(LINE))).toThrow('tree_invalid: reason=record');
  });

  test.each(['{', '{}}', 'nonsense'])('is refused when it is %s', (line) => {
    expect(() => decodeRecords(`${line}\n`)).toThrow('tree_invalid: reason=record');
  });
});
