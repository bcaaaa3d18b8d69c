import BetterSqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { underFileLock } from '../../disk/file-lock.ts';
import type { Bucket } from '../../../s3/bucket.ts';
import { BLOCK_BYTES, compareBlocks, writeBlocks } from './blocks.ts';
import { CopyDamagedError, openCopy, sealCopy } from './copy-seal.ts';
import { loadState, readManifest, saveState, type CopyManifest, type PublishedState } from './published-state.ts';

const MANIFESTS = 'metadata/manifests/';
const PARTS = 'metadata/parts/';
const GENERATION_DIGITS = 12;

/** The copy is rewritten from scratch once its parts have this many times the file's blocks, or there are this many parts. */
const STALE_SHARE = 2;
const MOST_PARTS = 100;

const ALL_PAGES = 0x7fff_ffff;

/** Attempts at reading a copy that another computer replaces meanwhile. */
const READS = 3;

/** Another computer has published its metadata since this one read the copy. */
export class CopyOutdatedError extends Error {
  override readonly name = 'CopyOutdatedError';
}

/**
 * The copy of a home's metadata in the bucket of its blobs, which is all that a new computer needs. The copy is authoritative; the
 * database of each home is the state that this computer last read, with its own additions. Generations are numbered, and each number
 * is used once (`If-None-Match`): of two computers that continue the same generation, the second one fails.
 *
 * Several sessions of one computer may have the database open (a run, and a window beside it). The session opened last may replace
 * the file by a newer generation; what the others add to the old file is lost, and publishing it fails.
 */
export class MetadataCopy {
  readonly #bucket: Bucket;
  readonly #key: Uint8Array;
  readonly #database: string;
  readonly #state: string;
  /** The identity of the file that `open` has opened. */
  #opened: string | undefined;
  #publishing: Promise<void> = Promise.resolve();

  /**
   * @param key 32 bytes
   * @param database the file of the home's metadata
   */
  constructor(bucket: Bucket, key: Uint8Array, database: string) {
    this.#bucket = bucket;
    this.#key = key;
    this.#database = database;
    this.#state = `${database}.published`;
  }

  /** Returns whether any computer has published its metadata in the bucket. */
  async isPublished(): Promise<boolean> {
    return (await this.#newest()) > 0;
  }

  /**
   * Opens the home's database in the state of the newest generation.
   *
   * @throws as `refresh`
   */
  async open<Opened>(open: () => Promise<Opened>): Promise<Opened> {
    // The lock keeps others from replacing the file between refreshing it and recording its identity.
    return underFileLock(`${this.#database}-open.lock`, async () => {
      await this.refresh();
      const opened = await open();
      this.#opened = identityOf(this.#database);
      return opened;
    });
  }

  /**
   * Brings the home's database to the newest generation; sessions that have it open continue with the replaced file. Changes that
   * this computer made to an older generation and never published are lost; they were never reported as done.
   *
   * @throws CopyDamagedError, BucketError; CopyOutdatedError if the copy is older than what this computer published
   */
  async refresh(): Promise<void> {
    for (let reads = 1; ; reads += 1) {
      const mine = await this.#generation();
      const newest = await this.#newest();
      if (newest < mine) throw new CopyOutdatedError('the copy is older than this computer’s');
      if (newest === 0 || (await this.#isAt(newest))) return;
      // Another session of this computer may just have published it: then there is nothing to fetch.
      if (await this.#locked(async () => (await this.#isAt(newest)) || this.#fetch(newest))) return;
      if (reads === READS) throw new CopyDamagedError('parts are missing');
    }
  }

  /** Publishes the current state of the database. @throws CopyOutdatedError, BucketError */
  publish(): Promise<void> {
    const published = this.#publishing.then(() => this.#locked(() => this.#publishNow()));
    this.#publishing = published.catch(() => undefined);
    return published;
  }

  async #publishNow(): Promise<void> {
    const state = await loadState(this.#state);
    const snapshot = `${this.#database}.copy`;
    await this.#copyDatabase(snapshot);
    try {
      // The file was replaced, so this session's changes are not in it.
      if (this.#opened !== undefined && identityOf(this.#database) !== this.#opened) {
        throw new CopyOutdatedError('another session has taken what another computer has written');
      }
      await this.#send(snapshot, isWorthContinuing(state) ? state : undefined, state?.manifest.generation ?? 0);
    } finally {
      await rm(snapshot, { force: true });
    }
  }

  async #send(snapshot: string, base: PublishedState | undefined, previous: number): Promise<void> {
    const added: string[] = [];
    let blocks = 0;
    const file = await compareBlocks(snapshot, base?.blocks, async (part, count) => {
      const name = randomBytes(16).toString('hex');
      await this.#bucket.put(PARTS + name, sealCopy(this.#key, PARTS + name, part));
      added.push(name);
      blocks += count;
    });
    if (base && added.length === 0 && file.bytes === base.manifest.bytes) return;
    const manifest: CopyManifest = {
      version: 1,
      generation: previous + 1,
      bytes: file.bytes,
      digest: file.digest,
      parts: [...(base?.manifest.parts ?? []), ...added],
      blocks: (base?.manifest.blocks ?? 0) + blocks,
    };
    const name = manifestName(manifest.generation);
    const sealed = sealCopy(this.#key, name, Buffer.from(JSON.stringify(manifest)));
    if (!(await this.#bucket.putNew(name, sealed)) && !(await this.#isOurs(manifest))) {
      await this.#bucket.delete(added.map((part) => PARTS + part));
      throw new CopyOutdatedError('another computer was first');
    }
    await saveState(this.#state, { manifest, blocks: file.blocks });
    await this.#clear(manifest);
  }

  /** Detects a repeated PUT, after a lost response, that conflicts with itself. */
  async #isOurs({ generation, parts, digest }: CopyManifest): Promise<boolean> {
    const there = await this.#manifest(generation);
    return there?.digest === digest && there.parts.join() === parts.join();
  }

  /** Deletes older generations; a computer that is reading one of them looks the newest one up again. */
  async #clear({ generation, parts }: CopyManifest): Promise<void> {
    const older = (await this.#bucket.list(MANIFESTS)).map(({ name }) => name);
    const gone = older.filter((name) => name < manifestName(generation));
    // Deletes only parts of the previous manifest: parts that another computer is publishing are in no manifest yet.
    const last = gone.at(-1);
    const before = last === undefined ? undefined : await this.#manifest(Number(last.slice(MANIFESTS.length)));
    const kept = new Set(parts);
    const left = (before?.parts ?? []).filter((part) => !kept.has(part)).map((part) => PARTS + part);
    await this.#bucket.delete([...gone, ...left]);
  }

  async #fetch(generation: number): Promise<boolean> {
    const manifest = await this.#manifest(generation);
    if (!manifest) return false;
    const temporary = `${this.#database}.fetched`;
    try {
      await writeBlocks(temporary, this.#parts(manifest), manifest.bytes);
    } catch (error) {
      if (error instanceof MissingPart) return false;
      throw error;
    }
    const { digest, blocks } = await compareBlocks(temporary, undefined, async () => undefined);
    if (digest !== manifest.digest) throw new CopyDamagedError('the parts make another file');
    for (const suffix of ['-wal', '-shm', '']) await rm(this.#database + suffix, { force: true });
    await rename(temporary, this.#database);
    await saveState(this.#state, { manifest, blocks });
    return true;
  }

  async *#parts({ parts }: CopyManifest): AsyncGenerator<Buffer> {
    for (const part of parts) {
      const sealed = await this.#bucket.get(PARTS + part);
      if (!sealed) throw new MissingPart(part);
      yield openCopy(this.#key, PARTS + part, sealed);
    }
  }

  async #manifest(generation: number): Promise<CopyManifest | undefined> {
    const name = manifestName(generation);
    const sealed = await this.#bucket.get(name);
    if (!sealed) return undefined;
    const manifest = readManifest(openCopy(this.#key, name, sealed));
    if (manifest?.generation !== generation) throw new CopyDamagedError(name);
    return manifest;
  }

  /** Runs `work` while no other session of this computer publishes or fetches. */
  async #locked<Result>(work: () => Promise<Result>): Promise<Result> {
    await mkdir(dirname(this.#database), { recursive: true, mode: 0o700 });
    return underFileLock(`${this.#database}-copy.lock`, work);
  }

  /** Returns the generation that this computer last read or published; 0 if none. */
  async #generation(): Promise<number> {
    return (await loadState(this.#state))?.manifest.generation ?? 0;
  }

  async #isAt(generation: number): Promise<boolean> {
    return (await this.#generation()) === generation && existsSync(this.#database);
  }

  /** Returns 0 if there is none. */
  async #newest(): Promise<number> {
    const listed = await this.#bucket.list(MANIFESTS);
    return Number(listed.at(-1)?.name.slice(MANIFESTS.length) ?? 0);
  }

  /** Copies the database as of one moment, in one step. */
  async #copyDatabase(to: string): Promise<void> {
    await rm(to, { force: true });
    const database = new BetterSqlite(this.#database, { readonly: true, timeout: 15_000 });
    try {
      await database.backup(to, { progress: () => ALL_PAGES });
    } finally {
      database.close();
    }
  }
}

class MissingPart extends Error {
  override readonly name = 'MissingPart';
}

function isWorthContinuing(state: PublishedState | undefined): boolean {
  if (!state) return false;
  const { bytes, blocks, parts } = state.manifest;
  return parts.length < MOST_PARTS && blocks <= STALE_SHARE * Math.ceil(bytes / BLOCK_BYTES);
}

/** Returns an identity that no other file has while this one is open. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function manifestName(generation: number): string {
  return MANIFESTS + String(generation).padStart(GENERATION_DIGITS, '0');
}
