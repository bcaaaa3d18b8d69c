import { createHash, sign } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { encode, rfc8949EncodeOptions } from 'cborg';
import { newMasterKey } from '../../../../src/format/crypto/keys.ts';
import { DamagedFileError } from '../../../../src/format/repository/damage.ts';
import { encodeDescription, parseDescription } from '../../../../src/format/repository/description.ts';
import { parseFact, type Fact } from '../../../../src/format/repository/facts.ts';
import {
  hashOf,
  ledgerFileName,
  ledgerPlaceName,
  parseLedgerName,
  parseParityName,
  parityName,
} from '../../../../src/format/repository/file-names.ts';
import { deriveRepositoryKeys } from '../../../../src/format/repository/keys.ts';
import {
  decodeTable,
  encodePackEnd,
  encodeTable,
  LARGEST_PACK_BYTES,
  openPackTable,
  PACK_TRAILER_BYTES,
  TABLE_RECORD_BYTES,
  type PackedBlob,
  type PlacedBlob,
} from '../../../../src/format/repository/pack-file.ts';
import { openBytes, sealBytes, sealContext } from '../../../../src/format/repository/sealed-bytes.ts';
import { decodeSegment, encodeSegment, type Segment } from '../../../../src/format/repository/segment.ts';
import { newWriterKey } from '../../../../src/format/repository/writer-key.ts';
import { encodeHeader, encodeParity, mendPack, parseHeader } from '../../../../src/repository/parity/parity-file.ts';
import { Random } from '../../../helpers/random.ts';
import type { Reader } from './fuzz.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';
import type { EpochKeys } from '../../../../src/format/crypto/keys.ts';

const REPOSITORY = 'ab'.repeat(16);
const isDamaged = (error: unknown): boolean => error instanceof DamagedFileError;

/** Readers of a repository's files. */
export function repositoryReaders(): readonly Reader[] {
  const random = new Random(1);
  const keys = epochKeys(random.bytes(32));
  return [
    ...packReaders(random, keys),
    ...ledgerReaders(random, keys),
    ...parityReaders(random),
    description(),
    ...names(random),
  ];
}

function blobsOf(random: Random, count: number): readonly PackedBlob[] {
  return Array.from({ length: count }, (_, index) => ({
    digest: random.bytes(32),
    length: 60 + random.below(5_000),
    size: 30 + random.below(9_000),
    kind: (['data', 'tree', 'envelope'] as const)[index % 3]!,
  }));
}

function packReaders(random: Random, keys: EpochKeys): readonly Reader[] {
  const tables = [1, 3, 20].map((count) => encodeTable(blobsOf(random, count)));
  const context = sealContext('pack-table', REPOSITORY);
  const bytesOf = (table: Buffer): number => decodeTable(table)!.reduce((sum, { length }) => sum + length, 0);
  const ends = tables.map((table) => encodePackEnd(keys, REPOSITORY, table));
  const fileBytes = new Map(ends.map((end, index) => [end.length, bytesOf(tables[index]!) + end.length]));
  return [
    {
      name: 'table of a pack',
      samples: tables,
      isProven: false,
      read: decodeTable,
      faultOf: (value, bytes) => faultOfTable(value as readonly PlacedBlob[], bytes),
    },
    {
      name: 'sealed bytes',
      samples: tables.map((table) => sealBytes(keys, table, context)),
      isProven: true,
      read: (bytes) => openBytes(keys, bytes, context),
    },
    {
      name: 'end of a pack',
      samples: ends,
      isProven: true,
      read: (bytes) =>
        openPackTable(
          { keys, repository: REPOSITORY, file: 'pack' },
          bytes.subarray(0, -PACK_TRAILER_BYTES),
          fileBytes.get(bytes.length) ?? bytes.length,
        ).table,
      isRefusal: isDamaged,
    },
  ];
}

/** The blobs fill the pack one after the other. */
function faultOfTable(blobs: readonly PlacedBlob[], bytes: Buffer): string | undefined {
  let offset = 0;
  for (const blob of blobs) {
    if (blob.offset !== offset || blob.length < 1 || blob.size < 1 || blob.digest.length !== 32) return 'a wrong place';
    offset += blob.length;
  }
  if (offset > LARGEST_PACK_BYTES) return 'too large a pack';
  return blobs.length === bytes.length / TABLE_RECORD_BYTES ? undefined : 'another number of blobs';
}

function ledgerReaders(random: Random, keys: EpochKeys): readonly Reader[] {
  const writerKey = newWriterKey();
  const device = 'cd'.repeat(16);
  const time = Date.parse('2026-11-22T12:00:00Z');
  const facts: readonly Fact[] = [
    { kind: 'device', device, time, name: 'Anna’s laptop', os: 'Linux', agent: 'test' },
    { kind: 'pack', pack: random.bytes(32), bytes: 5_000, table: encodeTable(blobsOf(random, 4)) },
    {
      kind: 'point',
      id: random.bytes(16),
      device,
      set: 'documents',
      time,
      tree: random.bytes(32),
      envelope: null,
      files: 12,
      bytes: 34_567,
      stored: 4_000,
    },
    { kind: 'pin', point: random.bytes(16), time },
    { kind: 'removed', points: [random.bytes(16)], trees: [random.bytes(32)] },
    { kind: 'condemned', packs: [random.bytes(32)], time },
    { kind: 'alarm', id: random.bytes(16), device, set: 'documents', time, reasons: ['mass_rewrite'] },
  ];
  const seal = { keys, repository: REPOSITORY };
  const place = { writer: writerKey.id, number: 2 };
  const segment: Segment = {
    ...place,
    previous: 'ef'.repeat(32),
    time,
    heads: new Map([['12'.repeat(16), { number: 7, hash: '34'.repeat(32) }]]),
    facts,
  };
  const fileOf = (hash: string) => parseLedgerName(ledgerFileName('ledger', place, hash))!;
  const encoded = encodeSegment('ledger', segment, seal, writerKey);
  const raw = encode(
    {
      version: 1,
      number: 2,
      previous: random.bytes(32),
      time,
      heads: { ['12'.repeat(16)]: [7, random.bytes(32)] },
      facts,
    },
    rfc8949EncodeOptions,
  );
  const context = sealContext('segment', REPOSITORY, ledgerPlaceName('ledger', place));
  /** A writer that has the keys, and lies. */
  const signed = (frame: Buffer): Buffer => {
    const signature = sign(null, Buffer.concat([context, frame]), writerKey.privateKey);
    return sealBytes(keys, Buffer.concat([writerKey.publicKey, signature, frame]), context);
  };
  const decodeSigned = (frame: Buffer): Segment => {
    const bytes = signed(frame);
    return decodeSegment(fileOf(hashOf(bytes)), bytes, seal);
  };
  return [
    {
      name: 'segment under the hash of its name',
      samples: [encoded.bytes],
      isProven: true,
      read: (bytes) => decodeSegment(fileOf(encoded.hash), bytes, seal),
      isRefusal: isDamaged,
    },
    {
      name: 'segment under its own hash',
      samples: [encoded.bytes],
      isProven: true,
      read: (bytes) => decodeSegment(fileOf(hashOf(bytes)), bytes, seal),
      isRefusal: isDamaged,
    },
    {
      name: 'segment of a writer that lies',
      samples: [Buffer.from(raw)],
      isProven: false,
      read: (bytes) => decodeSigned(zstdCompressSync(bytes)),
      isRefusal: isDamaged,
      faultOf: (value) => faultOfSegment(value as Segment),
    },
    {
      name: 'frame of a writer that lies',
      samples: [zstdCompressSync(raw)],
      isProven: false,
      read: decodeSigned,
      isRefusal: isDamaged,
      faultOf: (value) => faultOfSegment(value as Segment),
    },
  ];

  function faultOfSegment({ number, writer, facts: read }: Segment): string | undefined {
    if (number !== place.number || writer !== place.writer) return 'another place';
    return read.every((fact) => typeof parseFact(fact) === 'object') ? undefined : 'a fact that is none';
  }
}

function parityReaders(random: Random): readonly Reader[] {
  const pack = random.bytes(5_000);
  const name = createHash('sha256').update(pack).digest('hex');
  const parity = Buffer.from(encodeParity(pack, 20));
  const damaged = Buffer.from(pack).fill(0, 3_000, 3_500);
  return [
    {
      name: 'header of parity',
      samples: [encodeHeader({ pack: name, packBytes: pack.length, percent: 20 })],
      isProven: true,
      read: parseHeader,
    },
    {
      name: 'parity of a damaged pack',
      samples: [parity],
      // Whatever the parity is, what comes out is the pack or nothing.
      isProven: true,
      read: (bytes) => mendPack({ pack: name, copies: [damaged], parity: bytes }),
    },
    {
      name: 'damaged pack',
      samples: [pack, damaged],
      isProven: true,
      read: (bytes) => mendPack({ pack: name, copies: [bytes], parity }),
    },
  ];
}

function description(): Reader {
  const master = newMasterKey();
  const keys = deriveRepositoryKeys(master).descriptions;
  const { bytes: sample } = encodeDescription(master, {
    id: REPOSITORY,
    parity: 10,
    created: Date.parse('2026-11-22T12:00:00Z'),
  });
  return {
    name: 'holdfast.json',
    samples: [sample],
    isProven: true,
    read: (bytes) => parseDescription(bytes, 'holdfast.json', keys),
    isRefusal: isDamaged,
  };
}

function names(random: Random): readonly Reader[] {
  const hash = random.bytes(32).toString('hex');
  const ledger = ledgerFileName('ledger', { writer: '12'.repeat(16), number: 7 }, hash);
  return [
    {
      name: 'name of a segment',
      samples: [Buffer.from(ledger), Buffer.from(ledger.replace('ledger', 'checkpoints'))],
      isProven: false,
      read: (bytes) => parseLedgerName(bytes.toString('latin1')),
      faultOf: (value, bytes) => {
        const { folder, hash: named, ...place } = value as NonNullable<ReturnType<typeof parseLedgerName>>;
        return ledgerFileName(folder, place, named) === bytes.toString('latin1') ? undefined : 'another name';
      },
    },
    {
      name: 'name of parity',
      samples: [Buffer.from(parityName(hash, hash))],
      isProven: false,
      read: (bytes) => parseParityName(bytes.toString('latin1')),
      faultOf: (value, bytes) => {
        const { pack, hash: named } = value as NonNullable<ReturnType<typeof parseParityName>>;
        return parityName(pack, named) === bytes.toString('latin1') ? undefined : 'another name';
      },
    },
  ];
}
