import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { openBlob, sealChunk } from '../../../../src/format/crypto/blob.ts';
import { chunkKeysOf, ENVELOPE_CHUNK_KEY } from '../../../../src/format/crypto/chunk-keys.ts';
import { createEnvelope } from '../../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../../src/format/crypto/keys.ts';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { encodeFooter } from '../../../../src/format/tree/footer.ts';
import { encodeRecord } from '../../../../src/format/tree/record-line.ts';
import { chunkListOf, fileRecord, FOOTER } from '../../../unit/format/tree/records.ts';
import type { Random } from '../../../helpers/random.ts';

/** A sealed chunk with what opens it. */
export interface SealedSample {
  readonly kind: string;
  readonly key: Uint8Array;
  readonly plaintext: Buffer;
  readonly bytes: Buffer;
}

const MASTER = Buffer.alloc(32, 7);
const PIECES = [{ chunks: chunkListOf([100]), records: 1, firstPath: '/home/anna/a' }];

/** Sealed chunks of every kind: of files, as they are and compressed, of trees and of key envelopes. */
export async function sealedSamples(random: Random, ofEach: number): Promise<readonly SealedSample[]> {
  const keys = deriveKeys(MASTER);
  const chunkKeys = chunkKeysOf(keys.chunk);
  const samples: SealedSample[] = [];
  const add = (kind: string, plaintext: Buffer, frame?: Buffer, key?: Uint8Array): void => {
    const digest = createHash('sha256').update(plaintext).digest();
    const own = key ?? chunkKeys.keyOf(digest);
    const bytes = Buffer.from(sealChunk(own, plaintext, undefined, frame));
    samples.push({ kind, key: own instanceof Uint8Array ? own : own.key, plaintext, bytes });
  };
  for (let count = 0; count < ofEach; count += 1) {
    add('plain', random.bytes(1 + random.below(400)));
    const text = Buffer.from(`${random.below(1e9)} is a number. `.repeat(5 + random.below(50)));
    add('compressed', text, zstdCompressSync(text));
    const lines = [fileRecord(`/home/anna/${count}`), fileRecord(`/home/anna/${count}/b`)].map((record) =>
      encodeRecord(record),
    );
    add('piece of a tree', zstdCompressSync(Buffer.from(`${lines.join('\n')}\n`)));
    const footer = encodeFooter({ ...FOOTER, sequence: 1 + count }, PIECES, keys.tree);
    add('footer of a tree', zstdCompressSync(Buffer.concat([footer, Buffer.from('\n')])));
    const envelope = Buffer.from(await createEnvelope(random.bytes(32)));
    add('key envelope', envelope, undefined, ENVELOPE_CHUNK_KEY);
  }
  return samples;
}

/** Inverts every bit of a blob, one at a time. Returns what was accepted, or refused in another way than as damage. */
export function faultsOf({ kind, key, plaintext, bytes }: SealedSample): readonly string[] {
  const digest = createHash('sha256').update(plaintext).digest();
  const faults: string[] = [];
  if (!openBlob(key, bytes, digest).equals(plaintext)) faults.push(`${kind}: does not open`);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const altered = Buffer.from(bytes);
    altered[bit >> 3]! ^= 1 << (bit & 7);
    try {
      openBlob(key, altered, digest);
      faults.push(`${kind}: bit ${bit} of ${bytes.length} bytes has no effect`);
    } catch (error) {
      const isRefusal = isHoldfastError(error, 'chunk_tampered') || isHoldfastError(error, 'chunk_corrupt');
      if (!isRefusal) faults.push(`${kind}: bit ${bit}: ${String(error)}`);
    }
  }
  return faults;
}
