import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { basename, dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Clock } from '../../../../../src/base/clock.ts';
import { runBackup } from '../../../../../src/archive/backup/run-backup.ts';
import type { VolumeCopies } from '../../../../../src/archive/backup/reading/volume-copies.ts';
import type { BackupPool } from '../../../../../src/archive/backup/tasks.ts';
import { UNSTABLE, type ChunkFilesOutput } from '../../../../../src/archive/chunk/chunk-files.ts';
import type {
  BackupOptions,
  BackupOutcome,
  BackupRequest,
  BackupSetSpec,
  BackupTarget,
  TargetAccess,
} from '../../../../../src/archive/backup/types.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';
import { createEnvelope } from '../../../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../../../src/format/crypto/keys.ts';
import { runRestore } from '../../../../../src/restore/restore.ts';
import { readTreeFooter } from '../../../../../src/read/source/tree.ts';
import type { RestoreDependencies, RestoreReport } from '../../../../../src/restore/types.ts';
import type { WorkerPool } from '../../../../../src/workers/pool.ts';
import { InstantClock } from '../../../../unit/remote/instant-clock.ts';
import { MemoryService } from '../../../../helpers/memory-service/memory-service.ts';
import { differences } from '../../../../helpers/differences.ts';
import { FAST_FOLDER } from '../../../../helpers/fast-folder.ts';

const MASTER = Buffer.alloc(32, 7);
const ENVELOPE = await createEnvelope(MASTER);
export const SET = 'documents';

/** Where a run can be made to fail or to wait. `early` is an upload before init, `late` one after it. */
export const STEPS = [
  'open',
  'previousTree',
  'capabilities',
  'backupOpen',
  'early',
  'init',
  'late',
  'complete',
] as const;
export type Step = (typeof STEPS)[number];

/** A destination in memory. Its hooks are called before each step, with the number of the call in this run. */
export class Place extends MemoryService {
  readonly id: string;
  readonly hooks: Partial<Record<Step, (call: number, signal?: AbortSignal) => void | Promise<void>>> = {};
  readonly sent: string[] = [];
  readonly #calls = new Map<Step, number>();
  #hasManifest = false;

  constructor(id: string) {
    super();
    this.id = id;
    this.offered = new Set(['backup.compression', 'backup.open']);
  }

  beginRun(): void {
    this.#calls.clear();
    this.#hasManifest = false;
    this.sent.length = 0;
  }

  async step(step: Step, signal?: AbortSignal): Promise<void> {
    const call = (this.#calls.get(step) ?? 0) + 1;
    this.#calls.set(step, call);
    await this.hooks[step]?.(call, signal);
  }

  callsOf(step: Step): number {
    return this.#calls.get(step) ?? 0;
  }

  override async capabilities(): ReturnType<MemoryService['capabilities']> {
    await this.step('capabilities');
    return await super.capabilities();
  }

  override async backupOpen(): Promise<string> {
    await this.step('backupOpen');
    return await super.backupOpen();
  }

  override async backupInit(
    ...input: Parameters<MemoryService['backupInit']>
  ): ReturnType<MemoryService['backupInit']> {
    this.#hasManifest = true;
    await this.step('init');
    return await super.backupInit(...input);
  }

  override async upload(
    session: string,
    blobs: Parameters<MemoryService['upload']>[1],
    signal?: AbortSignal,
  ): ReturnType<MemoryService['upload']> {
    await this.step(this.#hasManifest ? 'late' : 'early', signal);
    this.sent.push(...blobs.map(({ hash }) => hash));
    return await super.upload(session, blobs);
  }

  override async backupComplete(
    ...input: Parameters<MemoryService['backupComplete']>
  ): ReturnType<MemoryService['backupComplete']> {
    await this.step('complete');
    return await super.backupComplete(...input);
  }
}

/** A computer that backs up one folder to several places. */
export class Computer implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(FAST_FOLDER, 'holdfast-targets-')));
  readonly source = join(this.folder, 'source');
  clock: Clock = new InstantClock();
  catalog: Catalog;
  /** Paths that cannot be read. */
  readonly unreadable = new Set<string>();
  /** Paths of files that change whenever they are read. */
  readonly restless = new Set<string>();
  volumeCopies: VolumeCopies | undefined;
  /** Paths that were read and chunked, and paths of chunks that were read to be sealed, in the last run. */
  chunked: string[] = [];
  sealed: string[] = [];
  readonly #pool: WorkerPool;
  #catalogs = 0;
  #restores = 0;

  constructor(pool: WorkerPool) {
    this.#pool = pool;
    mkdirSync(this.source);
    mkdirSync(join(this.folder, 'scratch'));
    this.catalog = new Catalog(this.#file);
  }

  get #file(): string {
    return join(this.folder, `${this.#catalogs}.sqlite`);
  }

  /** Writes a file with an old time, so that its stat is reliable. */
  write(name: string, content: string | Buffer, seconds = 1000): string {
    const path = join(this.source, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, seconds, seconds);
    return path;
  }

  /** Returns the path of a copy of the source, to compare with later. */
  copyOfSource(): string {
    const copy = join(this.folder, `copy ${readdirSync(this.folder).length}`, 'source');
    mkdirSync(copy, { recursive: true });
    execFileSync('cp', ['-a', `${this.source}/.`, copy]);
    return copy;
  }

  /** A run reads files again that were written within the last tick of the file system's clock before the one before. */
  async untilTimesAreReliable(): Promise<void> {
    const probe = join(this.folder, 'probe');
    writeFileSync(probe, '');
    while (Date.now() - statSync(probe).ctimeMs < 50) await nextTurn();
  }

  /** Backs up to one destination. Returns the reasons of the warnings by path. @throws the error of the run */
  async warningsAt(
    place: Place,
    options?: Parameters<Computer['backUp']>[1],
  ): Promise<Readonly<Record<string, string>>> {
    const [outcome] = await this.backUp([place], options);
    if (!outcome!.report) throw outcome!.error;
    return Object.fromEntries(outcome!.report.warnings.map(({ path, reason }) => [path, reason]));
  }

  async backUp(
    places: readonly Place[],
    options: BackupOptions &
      Partial<Pick<BackupRequest, 'rehash' | 'allowEmpty' | 'accepted'>> &
      Partial<Pick<BackupSetSpec, 'roots' | 'optionalRoots' | 'excludes' | 'oneFileSystem' | 'privateNames'>> &
      Pick<Partial<BackupTarget>, 'onProgress'> = {},
  ): Promise<readonly BackupOutcome[]> {
    this.chunked = [];
    this.sealed = [];
    const { rehash = false, allowEmpty = false, accepted = [], onProgress, ...others } = options;
    const { roots = [this.source], optionalRoots, excludes = [], oneFileSystem = false, ...rest } = others;
    const { privateNames = false, ...run } = rest;
    const set = { name: SET, roots, optionalRoots, excludes, presets: [], oneFileSystem, privateNames };
    const targets = places.map((place) => ({
      destination: place.id,
      deviceId: `device at ${place.id}`,
      open: () => this.#open(place),
      ...(onProgress && { onProgress }),
    }));
    for (const place of places) place.beginRun();
    const { catalog, clock } = this;
    const dependencies = {
      catalog,
      pool: this.#countingPool(),
      keys: deriveKeys(MASTER),
      clock,
      scratch: this.#scratch,
      volumeCopies: this.volumeCopies,
    };
    const request = { set, keyEnvelope: ENVELOPE, rehash, allowEmpty, accepted };
    return await runBackup(request, targets, dependencies, run);
  }

  /** Restores the newest restore point of a place, and compares it with a folder. */
  async expectRestored(place: Place, wanted = this.source): Promise<void> {
    const to = await this.expectRestorable(place);
    expect(differences(join(to, basename(this.source)), wanted)).toBe('');
    rmSync(to, { recursive: true });
  }

  /** Restores the newest restore point of a place: its tree and its manifest agree. Returns the folder. */
  async expectRestorable(place: Place): Promise<string> {
    const { to, failures, warnings } = await this.#restore(place);
    expect({ failures, warnings }).toEqual({ failures: [], warnings: [] });
    return to;
  }

  /** Restores the newest restore point of a place, which has all that it lists. Returns what the person is warned of. */
  async warningsOf(place: Place): Promise<RestoreReport['warnings']> {
    const { to, failures, warnings } = await this.#restore(place);
    expect(failures).toEqual([]);
    rmSync(to, { recursive: true });
    return warnings;
  }

  async #restore(place: Place): Promise<RestoreReport & { readonly to: string }> {
    this.#restores += 1;
    const to = join(this.folder, `restored ${this.#restores}`);
    const source = { deviceId: `device at ${place.id}`, backupSet: SET, at: 'latest' } as const;
    const request = { set: source.backupSet, at: source.at, source, paths: [], to, sourceRoots: [] };
    return { ...(await runRestore(request, this.#restoring(place))), to };
  }

  /** Continues with the catalog as another process finds it after this one was killed now. */
  kill(): Catalog {
    const old = this.catalog;
    const from = this.#file;
    this.#catalogs += 1;
    for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, this.#file + end);
    this.catalog = new Catalog(this.#file);
    this.catalog.journal.markInterrupted(this.clock.now());
    return old;
  }

  /** Continues with an empty catalog, as a new home that goes on as this computer. */
  loseCatalog(): void {
    this.catalog.close();
    this.#catalogs += 1;
    this.catalog = new Catalog(this.#file);
  }

  [Symbol.dispose](): void {
    this.catalog.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #scratch(): string {
    return join(this.folder, 'scratch');
  }

  async #open(place: Place): Promise<TargetAccess> {
    await place.step('open');
    return {
      service: place,
      uploader: place,
      previousTree: async () => {
        await place.step('previousTree');
        const source = { deviceId: `device at ${place.id}`, backupSet: SET, at: 'latest' } as const;
        return await readTreeFooter(source, this.#restoring(place));
      },
    };
  }

  #restoring(place: Place): RestoreDependencies {
    const catalog = this.catalog.at(place.id);
    const { clock } = this;
    const keys = deriveKeys(MASTER);
    return { service: place, downloader: place, catalog, pool: this.#pool, keys, clock, scratch: this.#scratch };
  }

  #disturb(paths: readonly string[], { states }: ChunkFilesOutput): void {
    for (const [index, path] of paths.entries()) if (this.restless.has(path)) states[index] = UNSTABLE;
  }

  #countingPool(): BackupPool {
    const readable = (path: string): string => (this.unreadable.has(path) ? '/dev/null/unreadable' : path);
    const counted = <Input>(name: string, input: Input): Input => {
      if (name === 'chunkFiles') {
        const { paths } = input as { paths: readonly string[] };
        this.chunked.push(...paths);
        return { ...input, paths: paths.map(readable) };
      }
      const { sources } = input as { sources: readonly { path: string }[] };
      this.sealed.push(...sources.map(({ path }) => path));
      return { ...input, sources: sources.map((source) => Object.assign({}, source, { path: readable(source.path) })) };
    };
    const pool: BackupPool = {
      capacity: this.#pool.capacity,
      run: async (name, input, transfer) => {
        const output = await (this.#pool as BackupPool).run(name, counted(name, input), transfer);
        if (name === 'chunkFiles')
          this.#disturb((input as { paths: readonly string[] }).paths, output as ChunkFilesOutput);
        return output;
      },
      runSmall: (name, input) => {
        return (this.#pool as BackupPool).runSmall(name, counted(name, input));
      },
    };
    return pool;
  }
}

/** Returns a promise that its `open` resolves. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

/** Never resolves, and rejects when the signal is aborted. */
export function hang(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
