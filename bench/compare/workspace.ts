import { spawnSync } from 'node:child_process';
import {
  accessSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSet, Space } from '../data-sets/data-set.ts';
import type { Workload } from '../workloads/workload.ts';

const NONE: Space = { files: 0, bytes: 0 };

export class CannotStart extends Error {}

/** A folder in memory, if the system has one. */
const MEMORY_FOLDER = '/dev/shm';

/** Space for a repository and a restore of the data, including the programs' catalogs and caches. */
const PLACE_FACTOR = 2.5;

/**
 * The folders of a run: the data, which `--keep` leaves for the next run, and one folder per repository.
 * All of it is removed when the process exits for any reason.
 */
export class Workspace {
  readonly #folder: string;
  readonly #memory: string;
  readonly #keep: boolean;
  /** Data sets that this run has already built. */
  readonly #built = new Set<DataSet>();

  /** @throws CannotStart when another run works there */
  constructor(directory: string, keep: boolean) {
    this.#folder = join(directory, 'holdfast-bench');
    this.#keep = keep;
    mkdirSync(this.#folder, { recursive: true });
    lock(join(this.#folder, 'lock'));
    this.#memory = mkdtempSync(join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'holdfast-bench-'));
    process.once('exit', () => this.#remove());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  }

  get folder(): string {
    return this.#folder;
  }

  /**
   * Checks that there is enough space for the data, repositories and restores.
   *
   * @throws CannotStart when there is too little
   */
  requireSpace(workloads: readonly Workload[], scale: number): void {
    const places = (inMemory: boolean): readonly Space[] =>
      workloads
        .filter((workload) => (workload.inMemory === true) === inMemory)
        .map(({ data }) => times(data.needs(scale), PLACE_FACTOR));
    const data = [...new Set(workloads.map((workload) => workload.data))]
      .filter((set) => !this.#isComplete(set, scale))
      .map((set) => sum([set.needs(scale), set.needsBeside?.(scale) ?? NONE]));
    // Without --keep only one data set exists at a time.
    requireSpace(this.#folder, sum([this.#keep ? sum(data) : highest(data), highest(places(false))]));
    requireSpace(this.#memory, highest(places(true)));
  }

  /** Builds the data or reuses existing data. Returns its folder. */
  async data(data: DataSet, scale: number): Promise<string> {
    const folder = this.#dataFolder(data);
    if (this.#built.has(data)) return folder;
    this.#built.add(data);
    if (this.#isComplete(data, scale)) {
      // An interrupted run may leave it changed.
      rmSync(`${folder}.complete`);
      return folder;
    }
    remove(folder);
    mkdirSync(folder, { recursive: true });
    await data.build(folder, scale);
    return folder;
  }

  /** Releases unmodified data that this run no longer needs. */
  release(data: DataSet, scale: number): void {
    const folder = this.#dataFolder(data);
    this.#built.delete(data);
    if (this.#keep) writeFileSync(`${folder}.complete`, String(scale));
    else remove(folder);
  }

  /** Creates an empty folder for one repository. */
  place(inMemory: boolean): string {
    return mkdtempSync(join(inMemory ? this.#memory : this.#folder, 'place-'));
  }

  #dataFolder({ name }: DataSet): string {
    return join(this.#folder, `data-${name}`);
  }

  #isComplete(data: DataSet, scale: number): boolean {
    const marker = `${this.#dataFolder(data)}.complete`;
    return existsSync(marker) && Number(readFileSync(marker, 'utf8')) === scale;
  }

  #remove(): void {
    remove(this.#memory);
    if (!this.#keep) remove(this.#folder);
    else spawnSync('sh', ['-c', 'rm -rf "$1"/place-* "$1"/lock', 'sh', this.#folder]);
  }
}

/** Uses `rm`, which removes a million files in a fraction of Node's time. */
export function remove(folder: string): void {
  spawnSync('rm', ['-rf', folder]);
}

function lock(path: string): void {
  if (existsSync(path) && isAlive(readFileSync(path, 'utf8'))) {
    throw new CannotStart(`Another benchmark works in ${path}; give another --dir.`);
  }
  writeFileSync(path, String(process.pid));
}

function isAlive(pid: string): boolean {
  try {
    accessSync(`/proc/${Number(pid)}`);
    return true;
  } catch {
    return false;
  }
}

function sum(spaces: readonly Space[]): Space {
  return spaces.reduce(({ files, bytes }, other) => ({ files: files + other.files, bytes: bytes + other.bytes }), NONE);
}

function highest(spaces: readonly Space[]): Space {
  return spaces.reduce(
    ({ files, bytes }, other) => ({ files: Math.max(files, other.files), bytes: Math.max(bytes, other.bytes) }),
    NONE,
  );
}

function times({ files, bytes }: Space, factor: number): Space {
  return { files: files * factor, bytes: bytes * factor };
}

function requireSpace(folder: string, needs: Space): void {
  const { bavail, bsize, ffree, files } = statfsSync(folder);
  const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
  if (bavail * bsize < needs.bytes) {
    throw new CannotStart(
      `${folder} has ${gigabytes(bavail * bsize)} GB free, and ${gigabytes(needs.bytes)} GB are needed: ` +
        'give another --dir, or a smaller --scale.',
    );
  }
  // Some file systems create inodes on demand and report none.
  if (files > 0 && ffree < needs.files) throw new CannotStart(`${folder} has only ${ffree} inodes free.`);
}
