import { createHash, createHmac } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { isEntryPath } from '../../../../src/protocol/path.ts';
import {
  CHUNK_RECORD_BYTES,
  chunkCount,
  hexDigestAt,
  plaintextBytes,
  sizeAt,
} from '../../../../src/format/chunks/chunk-list.ts';
import { decodeFooter, encodeFooter, FOOTER_WARNING_BYTES, readFooter } from '../../../../src/format/tree/footer.ts';
import type { KnownPiece, TreeChunk } from '../../../../src/format/tree/piece.ts';
import { decodeRecords, encodeRecord } from '../../../../src/format/tree/record-line.ts';
import type { TreeFooter, TreeRecord, VerifiedFooter } from '../../../../src/format/tree/record.ts';
import { TreeReader } from '../../../../src/format/tree/tree-reader.ts';
import { MEAN_PIECE_BYTES, PIECES_PER_MEAN, TreeWriter } from '../../../../src/format/tree/tree-writer.ts';
import { anyRecords, fileRecord, FOOTER, plain, TREE_KEY, TREE_KEYS } from './records.ts';
import type { EpochKeys } from '../../../../src/format/crypto/keys.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';
import { orThorough } from '../../../helpers/thorough.ts';

interface Written {
  readonly chunks: readonly TreeChunk[];
  readonly pieces: readonly KnownPiece[];
  readonly treeHash: string;
  readonly files: number;
  readonly bytes: number;
}

function write(records: Iterable<TreeRecord>, footer: TreeFooter = FOOTER): Written {
  const chunks: TreeChunk[] = [];
  const pieces: KnownPiece[] = [];
  const writer = new TreeWriter(TREE_KEYS, {
    onChunk: (chunk) => chunks.push(chunk),
    onPiece: (piece) => pieces.push(piece),
  });
  for (const record of records) writer.write(record);
  return { chunks, pieces, ...writer.finish(footer) };
}

const plaintexts = ({ chunks }: Written): Buffer[] => chunks.map((chunk) => chunk.plaintext);

/** Reads a tree from its footer and its other chunks by digest. */
function read(
  given: readonly Uint8Array[],
  keys: EpochKeys = TREE_KEYS,
): { records: TreeRecord[]; footer: VerifiedFooter } {
  const footer = readFooter(given.at(-1)!, keys);
  const reader = new TreeReader(footer);
  const byDigest = new Map(given.map((plaintext) => [digestOf(plaintext), plaintext]));
  const records = footer.pieces.flatMap(({ chunks }, index) => {
    const list = Array.from({ length: chunkCount(chunks) }, (_, number) => byDigest.get(hexDigestAt(chunks, number))!);
    return reader.read(index, list).records;
  });
  return { records, footer };
}

function digestOf(plaintext: Uint8Array): string {
  return createHash('sha256').update(plaintext).digest('hex');
}

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
        const written = write(records);
        const back = read(plaintexts(written));
        expect(plain(back.records)).toEqual(plain(records));
        expect(back.footer).toMatchObject({ ...FOOTER, warningsTotal: 1, treeHash: written.treeHash });
      }),
    );
  });

  test('refuses a record of a whole disk', () => {
    for (const path of ['/', 'C:/', '//']) {
      expect(reasonOf(() => read(plaintexts(write([fileRecord(path)]))))).toBe('footer');
    }
  });

  test('is lines of JSON with the list of pieces and the MAC of the format', () => {
    const records = manyRecords(3);
    const written = write(records);
    const [lines, last] = plaintexts(written).map((plaintext) => zstdDecompressSync(plaintext).toString('utf8')) as [
      string,
      string,
    ];
    expect(lines).toBe(records.map((record) => `${encodeRecord(record)}\n`).join(''));
    const line = last.slice(0, -1);
    expect(last).toBe(`${line}\n`);
    expect(written.treeHash).toBe(createHash('sha256').update(line).digest('hex'));
    const [, body, mac] = /^\{"footer":(.*),"mac":"([0-9a-f]{64})"\}$/.exec(line) as unknown as [
      string,
      string,
      string,
    ];
    expect(mac).toBe(createHmac('sha256', TREE_KEY).update(`holdfast/v1/tree-footer\n${body}`).digest('hex'));
    const piece = written.chunks[0]!.plaintext;
    const size = Buffer.alloc(4);
    size.writeUInt32BE(piece.length);
    const list = Buffer.concat([createHash('sha256').update(piece).digest(), size]).toString('base64');
    expect(JSON.parse(body)).toEqual({
      version: 1,
      epoch: 1,
      created: FOOTER.created,
      roots: FOOTER.roots,
      warnings: FOOTER.warnings,
      warnings_total: 1,
      device: 'device-1',
      set: 'laptop',
      private_names: true,
      sequence: 12,
      previous: FOOTER.previousTree,
      pieces: [[list, 3, records[0]!.path]],
    });
  });

  test('is its footer alone when there are no records', () => {
    const written = write([], { ...FOOTER, previousTree: undefined });
    expect(written.chunks).toHaveLength(1);
    const { footer } = read(plaintexts(written));
    expect(footer).toMatchObject({ pieces: [], treeHash: written.treeHash, previousTree: undefined });
  });

  test('has its footer readable from the last chunk alone', () => {
    const written = write(manyRecords(5000));
    const footer = readFooter(written.chunks.at(-1)!.plaintext, TREE_KEYS);
    expect(footer).toMatchObject({ sequence: 12, treeHash: written.treeHash });
    expect(footer.pieces.reduce((sum, piece) => sum + piece.records, 0)).toBe(5000);
    expect(reasonOf(() => readFooter(written.chunks[0]!.plaintext, TREE_KEYS))).toBe('footer');
  });

  test('counts files and bytes', () => {
    const { xattrs, ...file } = fileRecord('/a');
    const folder = { ...file, xattrs, type: 'directory', path: '/b' } as const;
    expect(write([fileRecord('/a'), folder, fileRecord('/b/c')])).toMatchObject({ files: 2, bytes: 20 });
  });

  test('keeps warnings up to their limit and counts them all', () => {
    const warnings = Array.from({ length: 20_000 }, (_, index) => ({
      path: `/home/${'p'.repeat(60)}/${index}`,
      reason: 'unreadable',
    }));
    const { footer } = read(plaintexts(write([], { ...FOOTER, warnings })));
    expect(footer.warningsTotal).toBe(20_000);
    // A copy of the footer counts the same.
    expect(decodeFooter(Buffer.concat([encodeFooter(footer, [], TREE_KEYS), Buffer.from('\n')]), TREE_KEYS)).toEqual(
      footer,
    );
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
  const digestsOf = ({ chunks }: Written): string[] => chunks.map((chunk) => chunk.digest.toString('hex'));

  test('have the digest of what is sealed and the sizes of the format', () => {
    for (const chunk of whole.chunks) {
      expect(chunk.digest.equals(createHash('sha256').update(chunk.plaintext).digest())).toBe(true);
      expect(zstdDecompressSync(chunk.plaintext).length).toBe(chunk.rawBytes);
    }
    const sizes = whole.chunks.slice(0, -2).map((chunk) => chunk.rawBytes);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(8 * 1024);
    const mean = sizes.reduce((total, size) => total + size, 0) / sizes.length;
    expect(mean).toBeGreaterThan(28 * 1024);
    expect(mean).toBeLessThan(37 * 1024);
  });

  test('are listed in the footer with their first paths', () => {
    const { footer } = read(plaintexts(whole));
    expect(footer.pieces).toEqual(
      whole.pieces.map(({ chunks, records, firstPath }) => ({ chunks, records, firstPath })),
    );
    let start = 0;
    for (const [index, { chunks, records, firstPath }] of footer.pieces.entries()) {
      expect(firstPath).toBe(all[start]!.path);
      expect(sizeAt(chunks, 0)).toBe(whole.chunks[index]!.plaintext.length);
      start += records;
    }
    expect(start).toBe(all.length);
  });

  test('end at record boundaries', () => {
    for (const chunk of whole.chunks) {
      const text = zstdDecompressSync(chunk.plaintext).toString('utf8');
      expect(text.endsWith('\n')).toBe(true);
      for (const line of text.trimEnd().split('\n')) JSON.parse(line);
    }
  });

  test('are the same except for the footer when nothing changed', () => {
    const again = write(all, { ...FOOTER, sequence: 13, previousTree: whole.treeHash });
    expect(digestsOf(again).slice(0, -1)).toEqual(digestsOf(whole).slice(0, -1));
    expect(again.treeHash).not.toBe(whole.treeHash);
  });

  test.each<[string, (records: readonly TreeRecord[]) => TreeRecord[], number]>([
    ['a changed record', (given) => given.with(20_000, { ...given[20_000]!, mtimeNs: 1n }), 1],
    ['a removed record', (given) => given.toSpliced(20_000, 1), 4],
    ['a removed folder', (given) => given.toSpliced(20_000, 400), 4],
    ['an added record', (given) => given.toSpliced(0, 0, fileRecord('/home/a')), 4],
  ])('are the same elsewhere after %s', (_, edit, mostNew) => {
    const known = new Set(digestsOf(whole));
    const fresh = digestsOf(write(edit(all)))
      .slice(0, -1)
      .filter((digest) => !known.has(digest));
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.length).toBeLessThanOrEqual(mostNew);
  });

  test('have one chunk of at most 1 MiB unless they are a longer line', () => {
    const sizes = [10, 700_000, 786_000, 786_350, 786_300, 786_431, 800_000, 3_000_000, 10, 5_000_000, 10];
    const records = sizes.map((size, index) =>
      fileRecord(`/x${String(index).padStart(2, '0')}`, { 'user.big': Buffer.alloc(size, `attribute ${index}`) }),
    );
    const written = write(records);
    expect(Math.max(...written.chunks.map((chunk) => chunk.rawBytes))).toBe(1024 * 1024);
    expect(plain(read(plaintexts(written)).records)).toEqual(plain(records));
    for (const { chunks, records: count } of written.pieces) {
      if (chunkCount(chunks) > 1) expect(count).toBe(1);
    }
    expect(written.pieces.map(({ chunks }) => chunkCount(chunks)).filter((count) => count > 1)).toEqual([
      2, 2, 2, 4, 7,
    ]);
  });

  test('have one chunk for a line of exactly 1 MiB', () => {
    const bytes = Buffer.byteLength(encodeRecord(fileRecord('/x', { 'user.big': Buffer.alloc(700_000) }))) + 1;
    for (const [more, count] of [
      [0, 1],
      [1, 2],
    ] as const) {
      const path = `/x${'y'.repeat(2 ** 20 - bytes + more)}`;
      const { pieces } = write([fileRecord('/a'), fileRecord(path, { 'user.big': Buffer.alloc(700_000) })]);
      expect(pieces.map(({ chunks }) => chunkCount(chunks))).toEqual([1, count]);
    }
  });

  test('throw when a record exceeds what a reader holds', () => {
    const huge = fileRecord('/huge', { 'user.huge': Buffer.alloc(96 * 1024 * 1024) });
    expect(() => write([huge])).toThrow(RangeError);
  });

  test('hold a path of 4,000 characters beyond the basic plane', () => {
    const records = [fileRecord(`/${'\u{1F600}'.repeat(4000)}`), fileRecord(`/${'\u{1F600}'.repeat(4001)}`)];
    expect(plain(read(plaintexts(write(records))).records)).toEqual(plain(records));
  });

  const known: KnownPiece[] = [];
  /** So many pieces of an earlier tree, with digests that do not compress. */
  const earlier = (count: number): readonly KnownPiece[] => {
    for (let index = known.length; index < count; index += 1) {
      const chunks = Buffer.alloc(CHUNK_RECORD_BYTES);
      createHash('sha256').update(`${index}`).digest().copy(chunks);
      chunks.writeUInt32BE(20_000 + index, 32);
      const firstPath = `/data/${String(index).padStart(6, '0')}-${createHash('md5').update(`${index}`).digest('hex')}`;
      known.push({ firstPath, chunks, records: 100, files: 100, bytes: 1000 });
    }
    return known.slice(0, count);
  };

  test('are larger in a larger tree', () => {
    for (const [count, factor] of [
      [PIECES_PER_MEAN - 1, 1],
      [PIECES_PER_MEAN + 40_000, 16],
    ] as const) {
      const sizes: number[] = [];
      const writer = new TreeWriter(TREE_KEYS, { onChunk: ({ rawBytes }) => sizes.push(rawBytes) });
      for (const piece of earlier(count)) writer.reuse(piece);
      writer.write(fileRecord('/data/x'));
      for (const record of all) writer.write(record);
      writer.finish(FOOTER);
      expect(Math.min(...sizes.slice(1, -2))).toBeGreaterThanOrEqual((MEAN_PIECE_BYTES / 4) * factor);
    }
  });

  test('are listed in a footer that fits in one chunk when there are 40,000 of them', () => {
    let last: TreeChunk | undefined;
    const writer = new TreeWriter(TREE_KEYS, { onChunk: (chunk) => (last = chunk) });
    for (const piece of earlier(40_000)) writer.reuse(piece);
    writer.finish(FOOTER);
    expect(last!.plaintext.length).toBeLessThan(4 * 1024 * 1024);
    expect(readFooter(last!.plaintext, TREE_KEYS).pieces).toHaveLength(40_000);
  });

  test('are refused when there are too many for a footer', () => {
    const writer = new TreeWriter(TREE_KEYS, { onChunk: () => undefined });
    for (const piece of earlier(90_000)) writer.reuse(piece);
    expect(() => writer.finish(FOOTER)).toThrow('90000 pieces does not fit');
  });
});

describe('a refused tree', () => {
  const written = write(manyRecords(1000));
  const all = plaintexts(written);
  const pieces = all.slice(0, -1);
  const footer = all.at(-1)!;
  const footerText = zstdDecompressSync(footer).toString('utf8');
  const altered = (change: (text: string) => string): Buffer => zstdCompressSync(Buffer.from(change(footerText)));

  /** A footer with different content and a valid MAC. */
  function resigned(change: (body: { pieces: [string, number, string][] } & Record<string, unknown>) => void): Buffer {
    const body = (JSON.parse(footerText) as { footer: Parameters<typeof change>[0] }).footer;
    change(body);
    const text = JSON.stringify(body);
    const mac = createHmac('sha256', TREE_KEY).update(`holdfast/v1/tree-footer\n${text}`).digest('hex');
    return zstdCompressSync(Buffer.from(`{"footer":${text},"mac":"${mac}"}\n`));
  }

  test('is accepted when it is unaltered', () => {
    expect(pieces.length).toBeGreaterThan(2);
    expect(read([...pieces, resigned(() => {})]).records).toHaveLength(1000);
  });

  test.each<[string, Uint8Array, string]>([
    ['that is not zstd', Buffer.from('nonsense'), 'compression'],
    ['without bytes', new Uint8Array(0), 'compression'],
    ['that is cut', footer.subarray(0, -10), 'compression'],
    ['that is a zip bomb', zstdCompressSync(Buffer.alloc(64 * 1024 * 1024)), 'compression'],
    ['that is a piece of records', pieces[0]!, 'footer'],
    ['with another sequence', altered((text) => text.replace('"sequence":12', '"sequence":13')), 'mac'],
    ['with another time', altered((text) => text.replace('"created":1', '"created":2')), 'mac'],
    ['with another set', altered((text) => text.replace('laptop', 'server')), 'mac'],
    ['without warnings', altered((text) => text.replace(/"warnings":\[.*?\]/, '"warnings":[]')), 'mac'],
    ['without its last piece', altered((text) => text.replace(/,\[[^[\]]*\]\]/, ']')), 'mac'],
    ['with a short MAC', altered((text) => text.replace(/..(?="\}\n$)/, '')), 'footer'],
    ['without a MAC', altered((text) => `${text.slice(0, text.indexOf(',"mac"'))}}\n`), 'footer'],
    ['without a line feed', altered((text) => text.slice(0, -1)), 'footer'],
    ['and a line', altered((text) => `${text}{}\n`), 'footer'],
    ['that is not JSON', altered((text) => text.replace('"version"', 'version')), 'footer'],
    ['of a newer version', resigned((body) => (body['version'] = 2)), 'version'],
    ['of a newer version with another MAC', altered((text) => text.replace('"version":1', '"version":2')), 'version'],
    ['that is signed without a field', resigned((body) => delete body['created']), 'footer'],
    ['that is signed without pieces', resigned((body) => delete (body as Partial<typeof body>).pieces), 'footer'],
    ['with half a chunk', resigned(({ pieces: list }) => (list[0]![0] = list[0]![0].slice(0, 24))), 'footer'],
    ['with a piece without chunks', resigned(({ pieces: list }) => (list[0]![0] = '')), 'footer'],
    ['with a piece without records', resigned(({ pieces: list }) => (list[0]![1] = 0)), 'footer'],
    ['with records in two chunks', resigned(({ pieces: list }) => (list[0]![0] += list[1]![0])), 'footer'],
    ['with a piece that begins nowhere', resigned(({ pieces: list }) => (list[0]![2] = '')), 'footer'],
    ['with pieces out of order', resigned(({ pieces: list }) => list.reverse()), 'footer'],
    ['with a piece twice', resigned(({ pieces: list }) => list.unshift(list[0]!)), 'footer'],
  ])('has a footer %s', (_, given, reason) => {
    expect(reasonOf(() => readFooter(given, TREE_KEYS))).toBe(reason);
  });

  test('has the MAC of a different key', () => {
    expect(reasonOf(() => read(all, epochKeys(Buffer.alloc(32, 9))))).toBe('mac');
  });

  test('has any altered bit in its footer', () => {
    const bytes = Buffer.from(footerText);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const reason = reasonOf(() => decodeFooter(changed, TREE_KEYS));
      expect(`${bit}: ${String(reason)}`).toMatch(/: (mac|footer|version)$/);
    }
  });

  /** Reads the first piece as the footer lists it, with other chunks and another entry for it. */
  function readFirst(plaintext: Uint8Array, change: (listed: [string, number, string]) => void = () => {}): unknown {
    const list = Buffer.alloc(CHUNK_RECORD_BYTES);
    createHash('sha256').update(plaintext).digest().copy(list);
    list.writeUInt32BE(plaintext.length, 32);
    const signed = resigned((body) => {
      body.pieces[0]![0] = list.toString('base64');
      change(body.pieces[0]!);
    });
    const reader = new TreeReader(readFooter(signed, TREE_KEYS));
    return reasonOf(() => reader.read(0, [plaintext]));
  }

  const linesOf = (index: number): string[] =>
    zstdDecompressSync(pieces[index]!).toString('utf8').trimEnd().split('\n');
  const lines = linesOf(0);
  const pieceOf = (list: readonly string[]): Buffer => zstdCompressSync(Buffer.from(`${list.join('\n')}\n`));

  test('accepts a piece that is unaltered', () => {
    expect(readFirst(pieces[0]!)).toBe('accepted');
    expect(readFirst(pieceOf(lines))).toBe('accepted');
  });

  test.each<[string, () => unknown, string]>([
    ['that is not zstd', () => readFirst(Buffer.from('nonsense')), 'compression'],
    ['that is a zip bomb', () => readFirst(zstdCompressSync(Buffer.alloc(2 ** 20 + 1))), 'compression'],
    ['that is not UTF-8', () => readFirst(zstdCompressSync(Buffer.from([0xff, 0x0a]))), 'encoding'],
    ['that is not JSON', () => readFirst(pieceOf(['x'])), 'record'],
    ['without a line feed', () => readFirst(zstdCompressSync(Buffer.from(lines.join('\n')))), 'record'],
    ['with a record less', () => readFirst(pieceOf(lines.slice(0, -1))), 'piece-altered'],
    ['with a record more than listed', () => readFirst(pieces[0]!, (listed) => (listed[1] -= 1)), 'piece-altered'],
    ['with records out of order', () => readFirst(pieceOf(lines.toReversed())), 'order'],
    ['with records before its first path', () => readFirst(pieces[0]!, (listed) => (listed[2] += '0')), 'order'],
    ['with records of the next piece', () => readFirst(pieces[1]!, (listed) => (listed[1] = recordsIn(1))), 'order'],
    [
      'with a record of the next piece',
      () => readFirst(pieceOf([...lines, linesOf(1)[0]!]), (listed) => (listed[1] += 1)),
      'order',
    ],
  ])('has a piece %s', (_, work, reason) => {
    expect(work()).toBe(reason);
  });

  function recordsIn(index: number): number {
    return written.pieces[index]!.records;
  }

  test('has another piece than the footer lists', () => {
    const reader = new TreeReader(readFooter(footer, TREE_KEYS));
    for (const given of [[], [pieces[1]!], [pieces[0]!, pieces[0]!], [pieces[0]!.subarray(1)]]) {
      expect(reasonOf(() => reader.read(0, given))).toBe('piece-altered');
    }
  });

  /** Changes, removes or adds a few bytes. */
  const mutation = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    remove: fc.nat({ max: 3 }),
    add: fc.uint8Array({ maxLength: 3 }),
  });
  const mutate = (bytes: Buffer, { at, remove, add }: { at: number; remove: number; add: Uint8Array }): Buffer => {
    const start = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.subarray(0, start), add, bytes.subarray(start + remove)]);
  };

  test('has any mutation of a piece or of the footer', () => {
    const original = readFooter(footer, TREE_KEYS);
    const reader = new TreeReader(original);
    const raw = zstdDecompressSync(footer);
    fc.assert(
      fc.property(mutation, (change) => {
        const piece = mutate(pieces[0]!, change);
        if (!piece.equals(pieces[0]!)) expect(reasonOf(() => reader.read(0, [piece]))).toBe('piece-altered');
        const packed = mutate(footer, change);
        // Some bits of a zstd frame do not matter.
        reasonOf(() => expect(readFooter(packed, TREE_KEYS)).toEqual(original));
        const text = mutate(raw, change);
        if (!text.equals(raw)) expect(reasonOf(() => decodeFooter(text, TREE_KEYS))).toMatch(/^(mac|footer|version)$/);
      }),
      { numRuns: orThorough(3000, 10_000) },
    );
  });

  test('never yields a file whose chunks do not add up, whatever its lines are', () => {
    const text = Buffer.from(`${lines.slice(0, 5).join('\n')}\n`);
    fc.assert(
      fc.property(mutation, (change) => {
        const mutated = mutate(text, change).toString('utf8');
        reasonOf(() => {
          for (const record of decodeRecords(mutated).records) {
            expect(isEntryPath(record.path)).toBe(true);
            if (record.type === 'file') expect(plaintextBytes(record.chunks)).toBe(record.size);
          }
        });
      }),
      { numRuns: orThorough(3000, 10_000) },
    );
  });
});
