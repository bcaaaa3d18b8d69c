import { sign, verify } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { decode, encode, rfc8949EncodeOptions } from 'cborg';
import { z } from 'zod';
import { DamagedFileError } from './damage.ts';
import { writerIdOf, publicKeyOf, type WriterKey } from './writer-key.ts';
import { parseFact, type Fact } from './facts.ts';
import { hashOf, ledgerFileName, ledgerPlaceName, type LedgerFile, type LedgerPlace } from './file-names.ts';
import type { EpochKeys } from '../crypto/keys.ts';
import { openBytes, SEAL_OVERHEAD, sealBytes, sealContext, sealedEpochOf } from './sealed-bytes.ts';
import { MIB } from '../../model/units.ts';

export const SEGMENT_VERSION = 1;

const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const FRAME_START = PUBLIC_KEY_BYTES + SIGNATURE_BYTES;
/** The largest file of the ledger that is read, sealed and opened. */
export const LARGEST_LEDGER_FILE_BYTES = 512 * MIB;
/** The largest segment that is read: one that is written has at most 32 MiB of facts, or one fact. */
export const LARGEST_SEGMENT_BYTES = 128 * MIB;
/** A public key, a signature and a frame, sealed. */
export const SMALLEST_LEDGER_FILE_BYTES = SEAL_OVERHEAD + FRAME_START + 9;

/** A segment or checkpoint, see docs/repository.md. */
export interface Segment extends LedgerPlace {
  /** Hex SHA-256 of the previous segment's file; `undefined` in the first. Of a checkpoint: of segment `number`'s file. */
  readonly previous: string | undefined;
  /** Milliseconds since the epoch, by the writer's clock. */
  readonly time: number;
  /** The newest segment of each other writer that its writer had read, by writer id. */
  readonly heads: ReadonlyMap<string, LedgerHead>;
  readonly facts: readonly Fact[];
}

/** A segment or checkpoint that was read. */
export interface OpenedSegment extends Segment {
  /** The epoch of the key that sealed it. */
  readonly epoch: number;
}

export interface LedgerHead {
  readonly number: number;
  /** Hex SHA-256 of its file. */
  readonly hash: string;
}

/** What opening and writing a ledger's files needs. */
export interface LedgerSeal {
  /** `RepositoryKeys.ledger` */
  readonly keys: EpochKeys;
  /** The repository's id, 32 hex digits. */
  readonly repository: string;
}

/** A file to be put into the repository. */
export interface EncodedFile {
  readonly name: string;
  /** Hex SHA-256 of the bytes. */
  readonly hash: string;
  readonly bytes: Buffer;
}

/** Encodes, signs and seals a segment or checkpoint. */
export function encodeSegment(
  folder: LedgerFile['folder'],
  segment: Segment,
  { keys, repository }: LedgerSeal,
  { privateKey, publicKey }: Pick<WriterKey, 'privateKey' | 'publicKey'>,
): EncodedFile {
  const context = contextOf(folder, segment, repository);
  const heads = [...segment.heads].map(([writer, { number, hash }]) => [writer, [number, Buffer.from(hash, 'hex')]]);
  const body = {
    version: SEGMENT_VERSION,
    number: segment.number,
    previous: segment.previous === undefined ? null : Buffer.from(segment.previous, 'hex'),
    time: segment.time,
    heads: Object.fromEntries(heads) as object,
    facts: segment.facts,
  };
  const frame = zstdCompressSync(encode(body, rfc8949EncodeOptions), {
    params: { [constants.ZSTD_c_compressionLevel]: 3 },
  });
  const signature = sign(null, Buffer.concat([context, frame]), privateKey);
  const bytes = sealBytes(keys, Buffer.concat([publicKey, signature, frame]), context);
  const hash = hashOf(bytes);
  return { name: ledgerFileName(folder, segment, hash), hash, bytes };
}

const head = z.tuple([z.int().positive(), z.instanceof(Uint8Array).refine((hash) => hash.length === 32)]);
const form = z.object({
  version: z.literal(SEGMENT_VERSION),
  number: z.int().positive(),
  previous: z
    .instanceof(Uint8Array)
    .refine((hash) => hash.length === 32)
    .nullable(),
  time: z.int(),
  heads: z.record(z.string().regex(/^[0-9a-f]{32}$/), head),
  facts: z.array(z.unknown()),
});

/**
 * Opens a segment or checkpoint and verifies everything: its hash, seal, place and signature. Nothing of it is decompressed or
 * parsed before. Each file has its writer's public key, so that it can be read although others are lost.
 *
 * @throws DamagedFileError
 */
export function decodeSegment(file: LedgerFile, bytes: Uint8Array, { keys, repository }: LedgerSeal): OpenedSegment {
  const damaged = (problem: DamagedFileError['problem'], cause?: unknown) =>
    new DamagedFileError(file.name, problem, cause);
  if (bytes.length > LARGEST_LEDGER_FILE_BYTES) throw damaged('size');
  if (hashOf(bytes) !== file.hash) throw damaged('hash');
  const context = contextOf(file.folder, file, repository);
  const opened = openBytes(keys, bytes, context);
  const epoch = sealedEpochOf(bytes);
  if (!opened) throw damaged(epoch > keys[0].epoch ? 'later-key' : 'sealed');
  const publicKey = opened.subarray(0, PUBLIC_KEY_BYTES);
  const signature = opened.subarray(PUBLIC_KEY_BYTES, FRAME_START);
  const frame = opened.subarray(FRAME_START);
  if (opened.length < FRAME_START || writerIdOf(publicKey) !== file.writer) throw damaged('signature');
  if (!verify(null, Buffer.concat([context, frame]), publicKeyOf(publicKey), signature)) throw damaged('signature');
  const body = form.safeParse(decodeBody(file, frame));
  if (!body.success) throw damaged('content', body.error);
  const { number, previous, time, heads } = body.data;
  if (number !== file.number || (previous === null) !== (number === 1 && file.folder === 'ledger')) {
    throw damaged('content');
  }
  const facts = body.data.facts.map(parseFact);
  if (facts.includes(undefined)) throw damaged('content');
  const known = facts.filter((fact) => fact !== undefined && fact !== 'unknown');
  return {
    epoch,
    writer: file.writer,
    number,
    previous: previous === null ? undefined : Buffer.from(previous).toString('hex'),
    time,
    heads: new Map(
      Object.entries(heads).map(([writer, [at, hash]]) => [
        writer,
        { number: at, hash: Buffer.from(hash).toString('hex') },
      ]),
    ),
    facts: known,
  };
}

/** Facts are mostly hashes, which zstd cannot shrink: a frame that grows by more is a bomb. */
function mostRawBytes(frameBytes: number): number {
  return Math.min(LARGEST_LEDGER_FILE_BYTES, MIB + 16 * frameBytes);
}

function decodeBody(file: LedgerFile, frame: Uint8Array): unknown {
  let value: unknown;
  try {
    const raw = zstdDecompressSync(frame, { maxOutputLength: mostRawBytes(frame.length) });
    value = decode(raw, { strict: true, allowIndefinite: false, allowUndefined: false, rejectDuplicateMapKeys: true });
  } catch (cause) {
    throw new DamagedFileError(file.name, 'content', cause);
  }
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (typeof version === 'number' && version > SEGMENT_VERSION) throw new DamagedFileError(file.name, 'newer-version');
  return value;
}

function contextOf(folder: LedgerFile['folder'], place: LedgerPlace, repository: string): Buffer {
  return sealContext(folder === 'ledger' ? 'segment' : 'checkpoint', repository, ledgerPlaceName(folder, place));
}
