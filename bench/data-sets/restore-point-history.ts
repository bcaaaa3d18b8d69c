import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import type { DeltaEntry } from '../../src/protocol/extensions.ts';
import type { BackupFileEntry } from '../../src/protocol/backup.ts';
import { formatChunkHash } from '../../src/protocol/chunk-hash.ts';
import { KEYS_PATH, TREE_PATH } from '../../src/protocol/path.ts';
import { fileOf, reservedFile } from '../../src/archive/backup/manifest/manifest-entries.ts';
import { CHUNK_RECORD_BYTES, NO_CHUNKS, writeChunkRecord } from '../../src/format/chunks/chunk-list.ts';
import { sealChunk } from '../../src/format/crypto/blob.ts';
import { chunkKeysOf, ENVELOPE_CHUNK_KEY } from '../../src/format/crypto/chunk-keys.ts';
import { createEnvelope } from '../../src/format/crypto/key-envelope.ts';
import type { Keys, MasterKey } from '../../src/format/crypto/keys.ts';
import type { SealedBlob } from '../../src/remote/ports.ts';
import type { KnownPiece } from '../../src/format/tree/piece.ts';
import type { FileRecord, TreeRecord } from '../../src/format/tree/record.ts';
import { TreeWriter } from '../../src/format/tree/tree-writer.ts';
import { createRepository } from '../../src/repository/create-repository.ts';
import { newWriterKey } from '../../src/format/repository/writer-key.ts';
import { RepositoryClient } from '../../src/repository/repository-client.ts';
import { Repository } from '../../src/repository/repository.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { Random } from '../../test/helpers/random.ts';

/** Restore points that are written without files of a source. */
export interface HistoryOptions {
  readonly masterKey: MasterKey;
  readonly seed: number;
  /** Restore points. */
  readonly points: number;
  readonly files: number;
  /** Files whose content changes before each further point. */
  readonly changes: number;
  /** Entry path of the set's root. */
  readonly root: string;
  readonly set: string;
  /** Time of the first point, in milliseconds since the epoch. The others follow in steps of `interval`. */
  readonly start: number;
  readonly interval: number;
}

/** A file of a source. */
interface SourceFile {
  /** Relative to the root. */
  readonly path: string;
  readonly version: number;
}

export interface WrittenHistory {
  /** The device that backed up. */
  readonly device: string;
}

const FILES_PER_FOLDER = 200;
/** Changes come together, as they do in the folders that somebody works in. */
const CHANGES_PER_FOLDER = 20;
export const FILE_BYTES = 64;
const MODE = 0o644;
const FOLDER_MODE = 0o755;
const MANIFEST_BATCH = 500;
const UPLOAD_BATCH = 256;
const NS_PER_MS = 1_000_000n;

/** The files of a source at one point after the other. */
export class SourceHistory {
  readonly #random: Random;
  readonly #seed: number;
  readonly #versions: Uint32Array;

  constructor({ seed, files }: Pick<HistoryOptions, 'seed' | 'files'>) {
    this.#random = new Random(seed);
    this.#seed = seed;
    this.#versions = new Uint32Array(files);
  }

  get files(): number {
    return this.#versions.length;
  }

  file(index: number): SourceFile {
    const folder = String(Math.floor(index / FILES_PER_FOLDER)).padStart(6, '0');
    return { path: `folder-${folder}/file-${String(index).padStart(8, '0')}.txt`, version: this.#versions[index]! };
  }

  content({ path, version }: SourceFile): Buffer {
    return createHash('sha512').update(`${this.#seed} ${version} ${path}`).digest();
  }

  /** Changes files. Returns their indexes in ascending order. */
  change(changes: number): readonly number[] {
    const changed = new Set<number>();
    while (changed.size < Math.min(changes, this.files)) {
      const first = this.#random.below(Math.ceil(this.files / FILES_PER_FOLDER)) * FILES_PER_FOLDER;
      const inFolder = Math.min(FILES_PER_FOLDER, this.files - first);
      for (let count = 0; count < CHANGES_PER_FOLDER && changed.size < changes; count += 1) {
        changed.add(first + this.#random.below(inFolder));
      }
    }
    const indexes = [...changed].toSorted((a, b) => a - b);
    for (const index of indexes) this.#versions[index]! += 1;
    return indexes;
  }
}

/**
 * Writes a repository as a sequence of backups leaves it: the sessions of the repository's own client, with trees that reuse the pieces
 * of unchanged folders. Only the scan of a source is left out.
 */
export async function writeHistory(storage: Storage, options: HistoryOptions): Promise<WrittenHistory> {
  const { masterKey } = options;
  const clock = new HistoryClock(options.start);
  const keyEnvelope = Buffer.from(await createEnvelope(masterKey));
  const { description } = await createRepository(storage, { masterKey, keyEnvelope, clock });
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-history-'));
  try {
    const writerKey = newWriterKey();
    const device = { id: writerKey.id, name: 'laptop', os: 'Linux', agent: '0.1.0' };
    using repository = new Repository({ storage, description, masterKey, writerKey, device, folder, clock });
    repository.projection.database.pragma('synchronous = OFF');
    const writer = new HistoryWriter(repository, keyEnvelope, options);
    for (let point = 0; point < options.points; point += 1) {
      clock.time = options.start + point * options.interval;
      await writer.backUp();
    }
    return { device: device.id };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class HistoryClock implements Clock {
  time: number;

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  sleep(): Promise<void> {
    return Promise.resolve();
  }
}

class HistoryWriter {
  readonly #client: RepositoryClient;
  readonly #repository: Repository;
  readonly #keys: Keys;
  readonly #envelope: Buffer;
  readonly #options: HistoryOptions;
  readonly #source: SourceHistory;
  /** Of every file, its chunk. */
  readonly #chunks: Buffer[];
  readonly #modified: Float64Array;
  #tree: readonly KnownPiece[] = [];
  #previous: { readonly sequence: number; readonly treeHash: string; readonly point: string } | undefined;

  constructor(repository: Repository, envelope: Buffer, options: HistoryOptions) {
    this.#repository = repository;
    this.#client = new RepositoryClient(repository);
    this.#keys = repository.keys;
    this.#envelope = envelope;
    this.#options = options;
    this.#source = new SourceHistory(options);
    this.#chunks = Array.from({ length: options.files }, () => NO_CHUNKS);
    this.#modified = new Float64Array(options.files).fill(options.start - options.interval);
  }

  async backUp(): Promise<void> {
    const { set, changes, interval, files } = this.#options;
    const now = this.#repository.clock.now();
    const isFirst = this.#previous === undefined;
    const changed = isFirst ? Array.from({ length: files }, (_, index) => index) : this.#source.change(changes);
    const blobs = new Map<string, () => SealedBlob>();
    for (const index of changed) {
      const plaintext = this.#source.content(this.#source.file(index));
      const digest = createHash('sha256').update(plaintext).digest();
      this.#chunks[index] = listOf(digest, plaintext.length);
      if (!isFirst) this.#modified[index] = now - interval / 2;
      blobs.set(nameOf(digest), () => this.#seal(plaintext, digest, 'data'));
    }
    const tree = this.#writeTree(now, changed, blobs);
    const envelopeDigest = createHash('sha256').update(this.#envelope).digest();
    blobs.set(nameOf(envelopeDigest), () => this.#seal(this.#envelope, envelopeDigest, 'envelope'));
    const reserved = [
      { path: TREE_PATH, modified: now, chunks: tree.chunks },
      { path: KEYS_PATH, modified: 0, chunks: listOf(envelopeDigest, this.#envelope.length) },
    ] as const;
    const entries = (): AsyncGenerator<readonly BackupFileEntry[]> =>
      this.#entries(changed, reserved.map(reservedFile));
    const needed: string[] = [];
    const head = await this.#client.backupInit(
      {
        deviceId: this.#repository.device.id,
        backupSet: set,
        files: entries,
        ...(this.#previous && {
          delta: { base: this.#previous.point, changes: (): AsyncGenerator<readonly DeltaEntry[]> => entries() },
        }),
      },
      (chunks) => needed.push(...chunks.map(({ hash }) => hash)),
    );
    let sent = 0;
    for (let start = 0; start < needed.length; start += UPLOAD_BATCH) {
      const batch = needed.slice(start, start + UPLOAD_BATCH).map((hash) => blobs.get(hash)!());
      sent += (await this.#client.upload(head.session_id, batch)).bytes;
    }
    const run = await this.#client.backupComplete(head.session_id, {
      files_processed: files,
      chunks_new: needed.length,
      chunks_deduped: head.chunks_deduped,
      bytes_scanned: files * FILE_BYTES,
      bytes_uploaded: sent,
      duration_seconds: 1,
    });
    this.#previous = { sequence: tree.sequence, treeHash: tree.treeHash, point: run.backup_id };
  }

  async *#entries(
    indexes: readonly number[],
    reserved: readonly BackupFileEntry[],
  ): AsyncGenerator<readonly BackupFileEntry[]> {
    for (let start = 0; start < indexes.length; start += MANIFEST_BATCH) {
      yield indexes.slice(start, start + MANIFEST_BATCH).map((index) => {
        const { path, size, mtimeNs, chunks } = this.#record(index);
        return fileOf(path, size, mtimeNs, chunks);
      });
    }
    yield reserved;
  }

  /** Writes the next tree, with the pieces of the last one where nothing changed. */
  #writeTree(created: number, changed: readonly number[], blobs: Map<string, () => SealedBlob>) {
    const { set, root } = this.#options;
    const tree: KnownPiece[] = [];
    let footer: Buffer = NO_CHUNKS;
    const writer = new TreeWriter(this.#keys.tree, {
      onChunk: ({ digest, plaintext }) => {
        blobs.set(nameOf(digest), () => this.#seal(plaintext, digest, 'tree'));
        footer = listOf(digest, plaintext.length);
      },
      onPiece: (piece) => void tree.push(piece),
    });
    const dirty = new Set(changed.map((index) => this.#positionOf(index)));
    const all = this.#folders + this.#source.files + 1;
    let next = 0;
    const writeUntil = (end: number): void => {
      for (; next < end; next += 1) writer.write(this.#recordAt(next));
    };
    if (this.#tree.length === 0) writeUntil(all);
    for (const piece of this.#tree) {
      const end = next + piece.records;
      let isDirty = !writer.isBetweenPieces;
      for (let position = next; position < end && !isDirty; position += 1) isDirty = dirty.has(position);
      if (isDirty) {
        writeUntil(end);
      } else {
        writer.reuse(piece);
        tree.push(piece);
        next = end;
      }
    }
    const sequence = (this.#previous?.sequence ?? 0) + 1;
    const { treeHash } = writer.finish({
      created,
      roots: [root],
      warnings: [],
      deviceId: this.#repository.device.id,
      backupSet: set,
      privateNames: false,
      sequence,
      previousTree: this.#previous?.treeHash,
    });
    this.#tree = tree;
    return { sequence, treeHash, chunks: Buffer.concat([...tree.map(({ chunks }) => chunks), footer]) };
  }

  get #folders(): number {
    return Math.ceil(this.#source.files / FILES_PER_FOLDER);
  }

  /** A file's place among all records: after the root, its folder and everything before. */
  #positionOf(index: number): number {
    return 2 + index + Math.floor(index / FILES_PER_FOLDER);
  }

  #recordAt(position: number): TreeRecord {
    const { root } = this.#options;
    if (position === 0) return this.#folder(root);
    const folder = Math.floor((position - 1) / (FILES_PER_FOLDER + 1));
    const inFolder = (position - 1) % (FILES_PER_FOLDER + 1);
    const index = folder * FILES_PER_FOLDER + inFolder - 1;
    if (inFolder > 0) return this.#record(index);
    return this.#folder(`${root}/${this.#source.file(index + 1).path.split('/')[0]!}`);
  }

  #folder(path: string): TreeRecord {
    return { ...this.#common(path, FOLDER_MODE, this.#options.start), type: 'directory' };
  }

  #record(index: number): FileRecord {
    const path = `${this.#options.root}/${this.#source.file(index).path}`;
    return {
      ...this.#common(path, MODE, this.#modified[index]!),
      type: 'file',
      size: FILE_BYTES,
      chunks: this.#chunks[index]!,
      hardLinkGroup: undefined,
      sparse: false,
    };
  }

  #common(path: string, mode: number, modified: number) {
    const mtimeNs = BigInt(modified) * NS_PER_MS;
    // Files are created one after the other.
    const birthtimeNs =
      BigInt(this.#options.start) * NS_PER_MS + BigInt(createHash('sha256').update(path).digest().readUInt32BE());
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    return { path, mode, mtimeNs, birthtimeNs, uid, gid, xattrs: undefined };
  }

  #seal(plaintext: Buffer, digest: Buffer, kind: SealedBlob['kind']): SealedBlob {
    const key = kind === 'envelope' ? ENVELOPE_CHUNK_KEY : chunkKeysOf(this.#keys.chunk).keyOf(digest);
    return { hash: nameOf(digest), bytes: sealChunk(key, plaintext), size: plaintext.length, kind };
  }
}

function nameOf(digest: Buffer): string {
  return formatChunkHash(digest.toString('hex'));
}

function listOf(digest: Buffer, size: number): Buffer {
  const list = Buffer.alloc(CHUNK_RECORD_BYTES);
  writeChunkRecord(list, 0, digest, size);
  return list;
}
