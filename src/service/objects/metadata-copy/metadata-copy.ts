import BetterSqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { underFileLock } from '../../disk/file-lock.ts';
import type { Bucket } from '../s3/bucket.ts';
import { BLOCK_BYTES, compareBlocks, writeBlocks } from './blocks.ts';
import { CopyDamagedError, openCopy, sealCopy } from './copy-seal.ts';
import { loadState, readManifest, saveState, type CopyManifest, type PublishedState } from './published-state.ts';

const MANIFESTS = 'metadata/manifests/';
const PARTS = 'metadata/parts/';
const GENERATION_DIGITS = 12;

/** With so many times the blocks of the file, or so many parts, the copy is made anew. */
const STALE_SHARE = 2;
const MOST_PARTS = 100;

const ALL_PAGES = 0x7fff_ffff;

/** How often a copy that another computer replaces while it is read is looked up again. */
const READS = 3;

/** Another computer has written its metadata there since this one read them. */
export class CopyOutdatedError extends Error {
  override readonly name = 'CopyOutdatedError';
}

/**
 * The copy of a home's metadata in the bucket that its blobs are in: a new computer needs nothing else. The copy is what
 * counts; the database of each home is what that computer last saw of it, and what it has added since. Generations are
 * numbered, and each number is given once (`If-None-Match`): of two computers that went on from the same generation, one
 * is told that it was too late.
 *
 * Several sessions of one computer may have the database open (a run, and a window that asks beside it). The one that is opened
 * last may replace it by what another computer has published; what the others still do is of no use to anybody, and they
 * are told so when they publish.
 */
export class MetadataCopy {
  readonly #bucket: Bucket;
  readonly #key: Uint8Array;
  readonly #database: string;
  readonly #state: string;
  /** Which file it was that `open` has opened. */
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

  /** Whether any computer has published its metadata there. */
  async isPublished(): Promise<boolean> {
    return (await this.#newest()) > 0;
  }

  /**
   * Opens the home's database as the newest generation has it.
   *
   * @throws as `refresh`
   */
  async open<Opened>(open: () => Promise<Opened>): Promise<Opened> {
    // Nobody may replace the file after it was brought up to date and before it is known which one was opened.
    return underFileLock(`${this.#database}-open.lock`, async () => {
      await this.refresh();
      const opened = await open();
      this.#opened = identityOf(this.#database);
      return opened;
    });
  }

  /**
   * Brings the home's database to the newest generation; whoever has it open goes on with the file that is replaced. What
   * this computer added to an older one and never published is lost with it: nobody was told that it is done.
   *
   * @throws CopyDamagedError, BucketError; CopyOutdatedError where the copy is older than what this computer published
   */
  async refresh(): Promise<void> {
    for (let reads = 1; ; reads += 1) {
      const mine = await this.#generation();
      const newest = await this.#newest();
      if (newest < mine) throw new CopyOutdatedError('the copy is older than this computer’s');
      if (newest === 0 || (await this.#isAt(newest))) return;
      // It may be what another session of this computer is publishing: then there is nothing to fetch.
      if (await this.#alone(async () => (await this.#isAt(newest)) || this.#fetch(newest))) return;
      if (reads === READS) throw new CopyDamagedError('parts are missing');
    }
  }

  /** Resolves when what the database has now is in the bucket. @throws CopyOutdatedError, BucketError */
  publish(): Promise<void> {
    const published = this.#publishing.then(() => this.#alone(() => this.#publishNow()));
    this.#publishing = published.catch(() => undefined);
    return published;
  }

  async #publishNow(): Promise<void> {
    const state = await loadState(this.#state);
    const snapshot = `${this.#database}.copy`;
    await this.#copyDatabase(snapshot);
    try {
      // The copy would be of a file in which nothing is that was written here.
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

  /** A PUT whose answer was lost is tried again, and meets itself. */
  async #isOurs({ generation, parts, digest }: CopyManifest): Promise<boolean> {
    const there = await this.#manifest(generation);
    return there?.digest === digest && there.parts.join() === parts.join();
  }

  /** Whoever reads an older generation meanwhile looks up the newest one again. */
  async #clear({ generation, parts }: CopyManifest): Promise<void> {
    const older = (await this.#bucket.list(MANIFESTS)).map(({ name }) => name);
    const gone = older.filter((name) => name < manifestName(generation));
    // What another computer is about to publish is named by no manifest yet, and would be taken for left over.
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

  /** Lets one session of this computer at a time publish or fetch. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    await mkdir(dirname(this.#database), { recursive: true, mode: 0o700 });
    return underFileLock(`${this.#database}-copy.lock`, work);
  }

  /** What this computer has last read or published; 0 where that is nothing. */
  async #generation(): Promise<number> {
    return (await loadState(this.#state))?.manifest.generation ?? 0;
  }

  async #isAt(generation: number): Promise<boolean> {
    return (await this.#generation()) === generation && existsSync(this.#database);
  }

  /** 0 where there is none. */
  async #newest(): Promise<number> {
    const listed = await this.#bucket.list(MANIFESTS);
    return Number(listed.at(-1)?.name.slice(MANIFESTS.length) ?? 0);
  }

  /** All of it as of one moment, in one step. */
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

/** A file that somebody has open keeps its number, so that no other one of that name has it. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function manifestName(generation: number): string {
  return MANIFESTS + String(generation).padStart(GENERATION_DIGITS, '0');
}
