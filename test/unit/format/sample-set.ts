import type { DirectoryRecord, FileRecord, SymlinkRecord } from '../../../src/format/tree/record.ts';
import type { SampleEntry } from './seal-set.ts';

/** Generates repeatable incompressible bytes with xorshift (Marsaglia, 2003). */
export function sampleBytes(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state & 0xff;
  }
  return bytes;
}

const COMMON = {
  mode: 0o644,
  mtimeNs: 1_767_225_600_123_456_789n,
  birthtimeNs: undefined,
  uid: 1000,
  gid: 1000,
  xattrs: undefined,
} as const;

function file(path: string, content: Uint8Array, more: Partial<FileRecord> = {}): SampleEntry {
  const record = {
    ...COMMON,
    type: 'file',
    path,
    size: content.length,
    chunks: Buffer.alloc(0),
    hardLinkGroup: undefined,
    sparse: false,
  } as const;
  return { record: { ...record, ...more }, content };
}

function directory(path: string, more: Partial<DirectoryRecord> = {}): SampleEntry {
  return { record: { ...COMMON, type: 'directory', path, mode: 0o755, ...more } };
}

function symlink(path: string, target: string): SampleEntry {
  const record: SymlinkRecord = { ...COMMON, type: 'symlink', path, mode: 0o777, target };
  return { record };
}

const NOTES = Buffer.from('Dear diary,\n');

/** Entries of every kind with every field, in tree order. `scripts/make-format-sample.ts` seals them. */
export const SAMPLE_ENTRIES: readonly SampleEntry[] = [
  directory('/home/anna', { mode: 0o2750, birthtimeNs: 1_600_000_000_000_000_001n }),
  directory('/home/anna/Photos'),
  file('/home/anna/Photos/2026.raw', sampleBytes(150_000, 7), { sparse: true }),
  directory('/home/anna/a'),
  file('/home/anna/a/empty', Buffer.alloc(0), { mtimeNs: -1n }),
  file('/home/anna/a/log.txt', Buffer.from('Nothing happened today.\n'.repeat(4000))),
  file('/home/anna/a/notes.txt', NOTES, {
    mode: 0o4755,
    hardLinkGroup: '2049:131',
    xattrs: { 'user.empty': new Uint8Array(0), 'user.origin': Buffer.from([0, 0xff, 0x0a]) },
  }),
  file('/home/anna/a!', Buffer.from('sorts behind what is in a')),
  file('/home/anna/notes again.txt', NOTES, { mode: 0o4755, hardLinkGroup: '2049:131' }),
  symlink('/home/anna/target', '../nowhere/\u{10FFFD}'),
  file('/home/anna/with\nline feed, "quotes" and \\', Buffer.from('x')),
  file('/home/anna/\u00e9', Buffer.from('composed')),
  file('/home/anna/\u{1F600}', Buffer.from('beyond the basic plane')),
  file('/home/anna/\u{10FFFD}_w', Buffer.from('its name is the byte 0xff')),
];
