import { createHash, createHmac } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { CHUNK_RECORD_BYTES, decodeChunkList, encodeChunkList } from '../../../../src/format/chunks/chunk-list.ts';
import { openBlob, sealChunk } from '../../../../src/format/crypto/blob.ts';
import { passwordSlotsOf, readEnvelope, type KeyEnvelope } from '../../../../src/format/crypto/key-envelope.ts';
import { unpackFrame } from '../../../../src/format/crypto/packing.ts';
import { decodeFooter, encodeFooter, readFooter } from '../../../../src/format/tree/footer.ts';
import { unpackChunk } from '../../../../src/format/tree/piece.ts';
import { decodeRecords, encodeRecord, type DecodedRecords } from '../../../../src/format/tree/record-line.ts';
import type { TreeRecord, VerifiedFooter } from '../../../../src/format/tree/record.ts';
import { parseIgnoreFile } from '../../../../src/archive/scan/rules.ts';
import { isEntryPath, isReservedPath } from '../../../../src/protocol/path.ts';
import { chunkListOf, fileRecord, FOOTER, TREE_KEY, TREE_KEYS } from '../../../unit/format/tree/records.ts';
import { Random } from '../../../helpers/random.ts';
import type { Reader } from './fuzz.ts';

const isInvalidTree = (error: unknown): boolean => isHoldfastError(error, 'tree_invalid');

/** Readers of blobs and trees. */
export function engineReaders(): readonly Reader[] {
  const random = new Random(2);
  return [...blobReaders(random), ...treeReaders(), envelope(random), chunkList(), ignoreFile()];
}

function blobReaders(random: Random): readonly Reader[] {
  const key = random.bytes(32);
  const text = Buffer.from('What is backed up comes back. '.repeat(20));
  const digest = createHash('sha256').update(text).digest();
  const frame = zstdCompressSync(text);
  const most = 100_000;
  return [
    {
      name: 'blob',
      samples: [sealChunk(key, text), sealChunk(key, text, undefined, frame)],
      isProven: true,
      read: (bytes) => openBlob(key, bytes, digest),
      isRefusal: (error) => isHoldfastError(error, 'chunk_tampered') || isHoldfastError(error, 'chunk_corrupt'),
    },
    {
      name: 'compressed plaintext under our own key',
      samples: [frame, zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })],
      isProven: true,
      read: (bytes) => openBlob(key, sealChunk(key, bytes, undefined, bytes), digest),
      isRefusal: (error) => isHoldfastError(error, 'chunk_corrupt') || isHoldfastError(error, 'chunk_tampered'),
    },
    {
      name: 'zstd frame',
      samples: [frame, zstdCompressSync(random.bytes(2_000))],
      isProven: false,
      read: (bytes) => unpackFrame(bytes, most),
      faultOf: (value) => ((value as Buffer).length > most ? 'too long' : undefined),
    },
  ];
}

function treeReaders(): readonly Reader[] {
  const records: readonly TreeRecord[] = [
    { ...fileRecord('/home/anna/a'), type: 'directory' },
    fileRecord('/home/anna/a/letter.txt', { 'user.note': Buffer.from('hi') }),
    fileRecord('/home/anna/b'),
    { ...fileRecord('/home/anna/link'), type: 'symlink', target: '/etc/hosts' },
  ];
  const lines = Buffer.from(`${records.map((record) => encodeRecord(record)).join('\n')}\n`);
  const pieces = [{ chunks: chunkListOf([100]), records: 4, firstPath: '/home/anna/a' }];
  const line = Buffer.concat([encodeFooter(FOOTER, pieces, TREE_KEYS), Buffer.from('\n')]);
  const body = line.subarray('{"footer":'.length, line.lastIndexOf(',"mac":"'));
  return [
    {
      name: 'records of a tree',
      samples: [lines],
      isProven: false,
      read: (bytes) => decodeRecords(bytes.toString('utf8')),
      isRefusal: isInvalidTree,
      faultOf: (value) => faultOfRecords(value as DecodedRecords),
    },
    {
      name: 'piece of a tree',
      samples: [zstdCompressSync(lines)],
      isProven: false,
      read: (bytes) => unpackChunk(bytes, 1_000_000),
      isRefusal: isInvalidTree,
      faultOf: (value) => ((value as Buffer).length > 1_000_000 ? 'too long' : undefined),
    },
    {
      name: 'footer of a tree',
      samples: [line],
      isProven: true,
      read: (bytes) => decodeFooter(bytes, TREE_KEYS),
      isRefusal: isInvalidTree,
    },
    {
      name: 'compressed footer of a tree',
      samples: [zstdCompressSync(line)],
      isProven: true,
      read: (bytes) => readFooter(bytes, TREE_KEYS),
      isRefusal: isInvalidTree,
    },
    {
      name: 'footer of a writer that lies',
      samples: [Buffer.from(body)],
      isProven: false,
      read: (bytes) => {
        const mac = createHmac('sha256', TREE_KEY).update('holdfast/v1/tree-footer\n').update(bytes).digest('hex');
        return decodeFooter(
          Buffer.concat([Buffer.from('{"footer":'), bytes, Buffer.from(`,"mac":"${mac}"}\n`)]),
          TREE_KEYS,
        );
      },
      isRefusal: isInvalidTree,
      faultOf: (value) => faultOfFooter(value as VerifiedFooter),
    },
  ];
}

function faultOfRecords({ records }: DecodedRecords): string | undefined {
  const paths = records.map(({ path }) => path);
  if (!paths.every((path) => isEntryPath(path) && !isReservedPath(path))) return 'a path that is none';
  if (new Set(paths).size < paths.length) return 'a path twice';
  for (const record of records) {
    if (record.type !== 'file') continue;
    let sum = 0;
    for (let at = 32; at < record.chunks.length; at += CHUNK_RECORD_BYTES) sum += record.chunks.readUInt32BE(at);
    if (sum !== record.size) return 'a file of another size';
  }
  return undefined;
}

function faultOfFooter({ pieces }: VerifiedFooter): string | undefined {
  const isWrong = pieces.some(({ firstPath, chunks }) => !isEntryPath(firstPath) || chunks.length === 0);
  return isWrong ? 'a piece that is none' : undefined;
}

function envelope(random: Random): Reader {
  const bytes = (length: number): string => random.bytes(length).toString('base64');
  const slot = {
    kind: 'passphrase',
    kdf: 'argon2id',
    memory_kib: 1024,
    iterations: 3,
    parallelism: 1,
    salt: bytes(16),
    sealed: bytes(60),
  };
  const device = { kind: 'device', device: bytes(32), sealed: bytes(92) };
  const body = {
    version: 1,
    epoch: 2,
    key_id: 'ab'.repeat(16),
    since: 1_767_225_600_000,
    after: '12'.repeat(16),
    author: bytes(32),
    slots: [slot, device, { kind: 'later' }],
    earlier: [{ epoch: 1, key_id: '12'.repeat(16), since: 0, sealed: bytes(60) }],
    revoked: [bytes(32)],
    writers: { ['34'.repeat(16)]: [1], ['56'.repeat(16)]: [1, 7, '78'.repeat(32), ['9a'.repeat(32)]] },
  };
  return {
    name: 'key envelope',
    samples: [
      Buffer.from(`{"envelope":${JSON.stringify(body)},"mac":"${'cd'.repeat(32)}","proof":"${'ef'.repeat(32)}"}`),
    ],
    isProven: false,
    read: readEnvelope,
    isRefusal: (error) => isHoldfastError(error, 'service_answer_suspicious'),
    // What opening it would cost.
    faultOf: (value) =>
      passwordSlotsOf(value as KeyEnvelope, 'passphrase').every(
        ({ cost: { memoryKib, iterations, parallelism } }) =>
          memoryKib <= 1_048_576 && iterations <= 16 && parallelism <= 16,
      )
        ? undefined
        : 'too costly a slot',
  };
}

function chunkList(): Reader {
  return {
    name: 'chunk list',
    samples: [chunkListOf([10]), chunkListOf([4_194_304, 1, 77])].map((list) => Buffer.from(encodeChunkList(list))),
    isProven: false,
    read: (bytes) => decodeChunkList(bytes.toString('latin1')),
    faultOf: (value) => {
      const list = value as Buffer;
      if (list.length % CHUNK_RECORD_BYTES !== 0) return 'half a record';
      for (let at = 32; at < list.length; at += CHUNK_RECORD_BYTES) {
        const size = list.readUInt32BE(at);
        if (size < 1 || size > 4_194_304) return 'a size out of bounds';
      }
      return undefined;
    },
  };
}

function ignoreFile(): Reader {
  return {
    name: 'ignore file',
    samples: [Buffer.from('# caches\n*.tmp\n!keep.tmp\n/build/**\n[a-z]?\\[x\\]\n')],
    isProven: false,
    read: (bytes) => parseIgnoreFile(bytes.toString('utf8'), '.holdfastignore'),
  };
}
