import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeRecords, encodeRecord } from '../../../src/engine/tree/record-line.ts';
import type { TreeRecord } from '../../../src/engine/tree/record.ts';
import { anyRecord, fileRecord, plain } from './records.ts';

const LINE = {
  t: 'f',
  p: '/a/b',
  m: 0o644,
  mt: '-1',
  bt: '5',
  u: 1,
  g: 2,
  s: 3,
};

describe('a record line', () => {
  test.each<[string, TreeRecord, string]>([
    ['file', fileRecord('/a'), '{"t":"f","p":"/a","m":420,"mt":"1767225600123456789","u":1000,"g":1000,"s":10}'],
    [
      'file with everything',
      {
        ...fileRecord('/"\n\\'),
        birthtimeNs: -5n,
        hardLinkGroup: '1:2',
        sparse: true,
        xattrs: { 'user.z': Buffer.from('z'), 'user.a': new Uint8Array(0) },
      },
      '{"t":"f","p":"/\\"\\n\\\\","m":420,"mt":"1767225600123456789","bt":"-5","u":1000,"g":1000,"s":10,"h":"1:2","sp":1,"x":{"user.a":"","user.z":"eg=="}}',
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
    expect(plain(decodeRecords(`${line}\n`))).toEqual(plain([record]));
  });

  test('encodes any record as one line of JSON', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 5 }), (records) => {
        const lines = records.map(encodeRecord);
        for (const line of lines) {
          expect(line).not.toContain('\n');
          JSON.parse(line);
        }
        const decoded = decodeRecords(lines.map((line) => `${line}\n`).join(''));
        expect(plain(decoded)).toEqual(plain(records));
      }),
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
    expect(decodeRecords(`${line}\n`)).toMatchObject([{ path: '/a/b', mtimeNs: -1n, birthtimeNs: 5n, size: 3 }]);
  });

  test.each<[string, unknown]>([
    ['a number', 5],
    ['null', null],
    ['another type', { ...LINE, t: 'x' }],
    ['no path', { ...LINE, p: undefined }],
    ['a relative path', { ...LINE, p: 'a/b' }],
    ['a path with parent segments', { ...LINE, p: '/a/../b' }],
    ['a reserved path', { ...LINE, p: '/.holdfast/tree' }],
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
  ])('is refused when it is or has %s', (_, value) => {
    expect(() => decodeRecords(`${JSON.stringify(value)}\n`)).toThrow('tree_invalid: reason=record');
  });

  test.each(['{', '{}}', 'nonsense'])('is refused when it is %s', (line) => {
    expect(() => decodeRecords(`${line}\n`)).toThrow('tree_invalid: reason=record');
  });
});
