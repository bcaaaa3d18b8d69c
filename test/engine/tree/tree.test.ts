import { createHash, createHmac } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors.ts';
import { decodeFooter, FOOTER_WARNING_BYTES, readFooter } from '../../../src/engine/tree/footer.ts';
import type { TreePiece } from '../../../src/engine/tree/piece.ts';
import { encodeRecord } from '../../../src/engine/tree/record-line.ts';
import type { TreeFooter, TreeRecord, VerifiedFooter } from '../../../src/engine/tree/record.ts';
import { TreeReader } from '../../../src/engine/tree/tree-reader.ts';
import { TreeWriter } from '../../../src/engine/tree/tree-writer.ts';
import { anyRecords, fileRecord, FOOTER, plain, TREE_KEY } from './records.ts';

function write(
  records: Iterable<TreeRecord>,
  footer: Omit<TreeFooter, 'entriesHash'> = FOOTER,
): { pieces: TreePiece[]; treeHash: string; records: number } {
  const pieces: TreePiece[] = [];
  const writer = new TreeWriter(TREE_KEY, (piece) => pieces.push(piece));
  for (const record of records) writer.write(record);
  return { pieces, ...writer.finish(footer) };
}

function read(
  plaintexts: readonly Uint8Array[],
  key: Uint8Array = TREE_KEY,
): { records: TreeRecord[]; footer: VerifiedFooter } {
  const reader = new TreeReader(key);
  const records = plaintexts.flatMap((plaintext) => reader.push(plaintext));
  return { records, footer: reader.end() };
}

const plaintexts = (pieces: readonly TreePiece[]): Buffer[] => pieces.map((piece) => piece.plaintext);

function reasonOf(work: () => unknown): unknown {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'tree_invalid') throw error;
    return error.details['reason'];
  }
}

/** Paths of a tree with so many files, 40 in each folder. */
const manyRecords = (count: number): TreeRecord[] =>
  Array.from({ length: count }, (_, index) => {
    const number = String(index).padStart(6, '0');
    return fileRecord(`/home/anna/projects/d${number.slice(0, 4)}/component-${number}.ts`);
  });

describe('a tree', () => {
  test('reads back as written', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const { pieces, treeHash } = write(records);
        const back = read(plaintexts(pieces));
        expect(plain(back.records)).toEqual(plain(records));
        expect(back.footer).toMatchObject({ ...FOOTER, warningsTotal: 1, records: records.length, treeHash });
      }),
    );
  });

  test.each(['/', 'C:/', '//'])('is refused when it has a record of %s', (path) => {
    expect(reasonOf(() => read(plaintexts(write([fileRecord(path)]).pieces)))).toBe('record');
  });

  test('is lines of JSON with the hashes and MAC of the format', () => {
    const records = manyRecords(3);
    const { pieces, treeHash } = write(records);
    const [lines, last] = plaintexts(pieces).map((plaintext) => zstdDecompressSync(plaintext).toString('utf8')) as [
      string,
      string,
    ];
    expect(lines).toBe(records.map((record) => `${encodeRecord(record)}\n`).join(''));
    const line = last.slice(0, -1);
    expect(last).toBe(`${line}\n`);
    expect(treeHash).toBe(createHash('sha256').update(line).digest('hex'));
    const [, body, mac] = /^\{"footer":(.*),"mac":"([0-9a-f]{64})"\}$/.exec(line) as unknown as [
      string,
      string,
      string,
    ];
    expect(mac).toBe(createHmac('sha256', TREE_KEY).update(`holdfast/v1/tree-footer\n${body}`).digest('hex'));
    const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
    expect(JSON.parse(body)).toEqual({
      version: 1,
      roots: FOOTER.roots,
      warnings: FOOTER.warnings,
      warnings_total: 1,
      device: 'device-1',
      set: 'laptop',
      private_names: true,
      sequence: 12,
      previous: FOOTER.previousTree,
      entries: sha256(sha256('')).toString('hex'),
      records: 3,
      records_hash: sha256(sha256(lines)).toString('hex'),
    });
  });

  test('is its footer alone when there are no records', () => {
    const { pieces, treeHash } = write([], { ...FOOTER, previousTree: undefined });
    expect(pieces).toHaveLength(1);
    expect(read(plaintexts(pieces)).footer).toMatchObject({ records: 0, treeHash, previousTree: undefined });
  });

  test('has its footer readable from the last piece alone', () => {
    const { pieces, treeHash } = write(manyRecords(5000));
    expect(readFooter(pieces.at(-1)!.plaintext, TREE_KEY)).toMatchObject({ sequence: 12, treeHash, records: 5000 });
    expect(reasonOf(() => readFooter(pieces[0]!.plaintext, TREE_KEY))).toBe('footer');
  });

  test('keeps warnings up to their limit and counts them all', () => {
    const warnings = Array.from({ length: 20_000 }, (_, index) => ({
      path: `/home/${'p'.repeat(60)}/${index}`,
      reason: 'unreadable',
    }));
    const { pieces } = write([], { ...FOOTER, warnings });
    const { footer } = read(plaintexts(pieces));
    expect(footer.warningsTotal).toBe(20_000);
    expect(footer.warnings).toEqual(warnings.slice(0, footer.warnings.length));
    const bytes = Buffer.byteLength(JSON.stringify(footer.warnings));
    expect(bytes).toBeLessThanOrEqual(FOOTER_WARNING_BYTES + 1);
    expect(bytes).toBeGreaterThan(FOOTER_WARNING_BYTES - 200);
  });

  test('throws when records are out of order', () => {
    const [first, second] = manyRecords(2) as [TreeRecord, TreeRecord];
    expect(() => write([second, first])).toThrow('out of order');
    expect(() => write([first, first])).toThrow('out of order');
  });
});

describe('the pieces of a tree', () => {
  const all = manyRecords(40_000);
  const whole = write(all);
  const digestsOf = (pieces: readonly TreePiece[]): string[] => pieces.map((piece) => piece.digest.toString('hex'));

  test('have the digest of what is sealed and the sizes of the format', () => {
    for (const piece of whole.pieces) {
      expect(piece.digest.equals(createHash('sha256').update(piece.plaintext).digest())).toBe(true);
      expect(zstdDecompressSync(piece.plaintext).length).toBe(piece.rawBytes);
    }
    const sizes = whole.pieces.slice(0, -2).map((piece) => piece.rawBytes);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(64 * 1024);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024);
    const mean = sizes.reduce((total, size) => total + size, 0) / sizes.length;
    expect(mean).toBeGreaterThan(150 * 1024);
    expect(mean).toBeLessThan(400 * 1024);
  });

  test('end at record boundaries', () => {
    for (const piece of whole.pieces) {
      const text = zstdDecompressSync(piece.plaintext).toString('utf8');
      expect(text.endsWith('\n')).toBe(true);
      for (const line of text.trimEnd().split('\n')) JSON.parse(line);
    }
  });

  test('are the same except for the footer when nothing changed', () => {
    const again = write(all, { ...FOOTER, sequence: 13, previousTree: whole.treeHash });
    expect(digestsOf(again.pieces).slice(0, -1)).toEqual(digestsOf(whole.pieces).slice(0, -1));
    expect(again.treeHash).not.toBe(whole.treeHash);
  });

  test.each<[string, (records: readonly TreeRecord[]) => TreeRecord[], number]>([
    ['a changed record', (given) => given.with(20_000, { ...given[20_000]!, mtimeNs: 1n }), 1],
    ['a removed record', (given) => given.toSpliced(20_000, 1), 4],
    ['a removed folder', (given) => given.toSpliced(20_000, 400), 4],
    ['an added record', (given) => given.toSpliced(0, 0, fileRecord('/home/a')), 4],
  ])('are the same elsewhere after %s', (_, edit, mostNew) => {
    const known = new Set(digestsOf(whole.pieces));
    const fresh = digestsOf(write(edit(all)).pieces)
      .slice(0, -1)
      .filter((digest) => !known.has(digest));
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.length).toBeLessThanOrEqual(mostNew);
  });

  test('never exceed 1 MiB whatever the records hold', () => {
    const sizes = [10, 700_000, 786_000, 786_350, 786_431, 800_000, 3_000_000, 10, 5_000_000, 10];
    const records = sizes.map((size, index) =>
      fileRecord(`/x${index}`, { 'user.big': Buffer.alloc(size, `attribute ${index}`) }),
    );
    const { pieces } = write(records);
    expect(Math.max(...pieces.map((piece) => piece.rawBytes))).toBe(1024 * 1024);
    expect(plain(read(plaintexts(pieces)).records)).toEqual(plain(records));
  });

  test('throw when a record exceeds what a reader holds', () => {
    const huge = fileRecord('/huge', { 'user.huge': Buffer.alloc(48 * 1024 * 1024) });
    expect(() => write([huge])).toThrow(RangeError);
  });

  test('hold a path of 4,000 characters beyond the basic plane', () => {
    const records = [fileRecord(`/${'\u{1F600}'.repeat(4000)}`), fileRecord(`/${'\u{1F600}'.repeat(4001)}`)];
    expect(plain(read(plaintexts(write(records).pieces)).records)).toEqual(plain(records));
  });
});

describe('a refused tree', () => {
  const written = write(manyRecords(6000));
  const pieces = plaintexts(written.pieces);
  const records = pieces.slice(0, -1);
  const footer = pieces.at(-1)!;
  const footerText = zstdDecompressSync(footer).toString('utf8');
  const altered = (change: (text: string) => string): Buffer => zstdCompressSync(Buffer.from(change(footerText)));
  const other = plaintexts(write(manyRecords(5000)).pieces);

  /** A footer with different content and a valid MAC. */
  function resigned(change: (body: Record<string, unknown>) => void): Buffer {
    const body = (JSON.parse(footerText) as { footer: Record<string, unknown> }).footer;
    change(body);
    const text = JSON.stringify(body);
    const mac = createHmac('sha256', TREE_KEY).update(`holdfast/v1/tree-footer\n${text}`).digest('hex');
    return zstdCompressSync(Buffer.from(`{"footer":${text},"mac":"${mac}"}\n`));
  }

  test('is accepted when it is unaltered', () => {
    expect(records.length).toBeGreaterThan(2);
    expect(read([...records, resigned(() => {})]).records).toHaveLength(6000);
  });

  test.each<[string, readonly Uint8Array[], string]>([
    ['nothing', [], 'footer-missing'],
    ['no footer', records, 'footer-missing'],
    ['the first piece missing', [...records.slice(1), footer], 'records-altered'],
    ['the last piece missing', [...records.slice(0, -1), footer], 'records-altered'],
    ['the footer alone', [footer], 'records-altered'],
    ['a piece twice', [records[0]!, records[0]!, ...records.slice(1), footer], 'order'],
    ['pieces in a different order', [records[1]!, records[0]!, ...records.slice(2), footer], 'order'],
    ['the footer of a different tree', [...records, other.at(-1)!], 'records-altered'],
    ['a piece after the footer', [...pieces, records[0]!], 'trailing'],
    ['a second footer', [...pieces, footer], 'trailing'],
    ['a piece that is not zstd', [Buffer.from('nonsense'), ...pieces], 'compression'],
    ['an empty piece', [new Uint8Array(0), ...pieces], 'compression'],
    ['a shortened piece', [records[0]!.subarray(0, -10), ...pieces.slice(1)], 'compression'],
    ['a zip bomb', [zstdCompressSync(Buffer.alloc(64 * 1024 * 1024)), ...pieces], 'compression'],
    ['a line that is not UTF-8', [zstdCompressSync(Buffer.from([0xff, 0x0a])), footer], 'encoding'],
    ['a line that is not JSON', [zstdCompressSync(Buffer.from('x\n')), footer], 'record'],
    ['a line that does not end', [zstdCompressSync(Buffer.from('{"t":"d"')), footer], 'record'],
    [
      'a footer whose sequence was altered',
      [...records, altered((text) => text.replace('"sequence":12', '"sequence":13'))],
      'mac',
    ],
    ['a footer whose set was altered', [...records, altered((text) => text.replace('laptop', 'server'))], 'mac'],
    [
      'a footer without warnings',
      [...records, altered((text) => text.replace(/"warnings":\[.*?\]/, '"warnings":[]'))],
      'mac',
    ],
    ['a footer with a short MAC', [...records, altered((text) => text.replace(/..(?="\}\n$)/, ''))], 'footer'],
    [
      'a footer without a MAC',
      [...records, altered((text) => `${text.slice(0, text.indexOf(',"mac"'))}}\n`)],
      'footer',
    ],
    ['a footer without a line feed', [...records, altered((text) => text.slice(0, -1))], 'footer'],
    ['a footer and a line', [...records, altered((text) => `${text}{}\n`)], 'footer'],
    ['a footer that is not JSON', [...records, altered((text) => text.replace('"version"', 'version'))], 'footer'],
    ['a newer version', [...records, resigned((body) => (body['version'] = 2))], 'version'],
    [
      'a newer version with another MAC',
      [...records, altered((text) => text.replace('"version":1', '"version":2'))],
      'version',
    ],
    ['a signed footer without a field', [...records, resigned((body) => delete body['entries'])], 'footer'],
    [
      'a signed footer with another count',
      [...records, resigned((body) => (body['records'] = 5999))],
      'records-altered',
    ],
  ])('has %s', (_, given, reason) => {
    expect(reasonOf(() => read(given))).toBe(reason);
  });

  test('has the MAC of a different key', () => {
    expect(reasonOf(() => read(pieces, Buffer.alloc(32, 9)))).toBe('mac');
  });

  test('has any altered bit in its footer', () => {
    const bytes = Buffer.from(footerText);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const reason = reasonOf(() => decodeFooter(changed, TREE_KEY));
      expect(`${bit}: ${String(reason)}`).toMatch(/: (mac|footer|version)$/);
    }
  });
});
