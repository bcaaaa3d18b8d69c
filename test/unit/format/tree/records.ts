import * as fc from 'fast-check';
import { isEntryPath, isReservedPath } from '../../../../src/protocol/path.ts';
import { comparePaths } from '../../../../src/model/entry-path.ts';
import { CHUNK_RECORD_BYTES, MAX_CHUNK_BYTES, writeChunkRecord } from '../../../../src/format/chunks/chunk-list.ts';
import type { FileRecord, TreeFooter, TreeRecord } from '../../../../src/format/tree/record.ts';
import { anyCharacter } from '../../../helpers/any-character.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';

export const TREE_KEY = Buffer.alloc(32, 8);
export const TREE_KEYS = epochKeys(TREE_KEY);

export const FOOTER: TreeFooter = {
  created: 1_767_225_600_000,
  roots: ['/home/anna', 'C:/Users'],
  warnings: [{ path: '/home/anna/pipe', reason: 'special-file' }],
  deviceId: 'device-1',
  backupSet: 'laptop',
  privateNames: true,
  sequence: 12,
  previousTree: 'cd'.repeat(32),
};

export function fileRecord(path: string, xattrs?: Readonly<Record<string, Uint8Array>>): FileRecord {
  return {
    type: 'file',
    path,
    mode: 0o644,
    mtimeNs: 1_767_225_600_123_456_789n,
    birthtimeNs: undefined,
    uid: 1000,
    gid: 1000,
    xattrs,
    size: 10,
    chunks: chunkListOf([10]),
    hardLinkGroup: undefined,
    sparse: false,
  };
}

/** A list of chunks of these sizes. */
export function chunkListOf(sizes: readonly number[]): Buffer {
  const list = Buffer.alloc(sizes.length * CHUNK_RECORD_BYTES);
  for (const [index, size] of sizes.entries()) writeChunkRecord(list, index, Buffer.alloc(32, index + size), size);
  return list;
}

const text = fc.string({ unit: anyCharacter, maxLength: 20 });
const segment = fc
  .oneof(text, fc.constantFrom('a', 'b', 'line\nfeed', '"', '\\', '\u2028', '\uD800', '{"footer":'))
  .filter((name) => name !== '' && !name.includes('/') && isEntryPath(`/${name}`));
const path = fc
  .tuple(fc.constantFrom('', 'C:'), fc.array(segment, { minLength: 1, maxLength: 4 }))
  .map(([first, names]) => [first, ...names].join('/'))
  .filter((candidate) => !isReservedPath(candidate));
const nanoseconds = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const identity = fc.oneof(fc.constantFrom(0, 1000, 0xffff_ffff), fc.nat());
const attributes = fc.dictionary(fc.oneof(text, fc.constant('__proto__')), fc.uint8Array({ maxLength: 30 }), {
  minKeys: 1,
  maxKeys: 3,
  noNullPrototype: true,
});
const optional = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const common = {
  path,
  mode: fc.nat({ max: 0o7777 }),
  mtimeNs: nanoseconds,
  birthtimeNs: optional(nanoseconds),
  uid: identity,
  gid: identity,
  xattrs: optional(attributes),
};

const anyFile = fc
  .record({
    type: fc.constant('file' as const),
    ...common,
    sizes: fc.array(fc.integer({ min: 1, max: MAX_CHUNK_BYTES }), { maxLength: 4 }),
    hardLinkGroup: optional(text),
    sparse: fc.boolean(),
  })
  .map(({ sizes, ...file }) => {
    const size = sizes.reduce((sum, each) => sum + each, 0);
    return Object.assign(file, { size, chunks: chunkListOf(sizes) });
  });

/** Generates any record. */
export const anyRecord: fc.Arbitrary<TreeRecord> = fc.oneof(
  anyFile,
  fc.record({ type: fc.constant('directory' as const), ...common }),
  fc.record({ type: fc.constant('symlink' as const), ...common, target: text }),
);

/** Generates the records of any tree, in order. */
export const anyRecords: fc.Arbitrary<TreeRecord[]> = fc
  .uniqueArray(anyRecord, { selector: (record) => record.path, maxLength: 30 })
  .map((records) => records.toSorted((a, b) => comparePaths(a.path, b.path)));

/** Replaces byte arrays of either class by hex, for comparisons. */
export function plain(records: readonly TreeRecord[]): unknown[] {
  return records.map((record) => ({
    ...record,
    ...(record.type === 'file' ? { chunks: record.chunks.toString('hex') } : {}),
    xattrs:
      record.xattrs &&
      Object.entries(record.xattrs)
        .map(([name, value]) => `${name}=${Buffer.from(value).toString('hex')}`)
        .toSorted(),
  }));
}
