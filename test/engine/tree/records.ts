import * as fc from 'fast-check';
import { comparePaths, isEntryPath, isReservedPath } from '../../../src/protocol/path.ts';
import type { FileRecord, TreeFooter, TreeRecord } from '../../../src/engine/tree/record.ts';

export const TREE_KEY = Buffer.alloc(32, 8);

export const FOOTER: Omit<TreeFooter, 'entriesHash'> = {
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
    hardLinkGroup: undefined,
    sparse: false,
  };
}

const text = fc.string({ unit: 'binary', maxLength: 20 });
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

/** Generates any record. */
export const anyRecord: fc.Arbitrary<TreeRecord> = fc.oneof(
  fc.record({
    type: fc.constant('file' as const),
    ...common,
    size: fc.maxSafeNat(),
    hardLinkGroup: optional(text),
    sparse: fc.boolean(),
  }),
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
    xattrs:
      record.xattrs &&
      Object.entries(record.xattrs)
        .map(([name, value]) => `${name}=${Buffer.from(value).toString('hex')}`)
        .toSorted(),
  }));
}
