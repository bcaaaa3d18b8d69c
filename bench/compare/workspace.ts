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

/** Of memory, where there is such a folder. */
const MEMORY_FOLDER = '/dev/shm';

/** A repository and a restore of the data, with what programs keep beside: their catalogs and caches. */
const PLACE_FACTOR = 2.5;

/**
 * The folders that a run works in: the data, which `--keep` leaves for the next run, and a place for each repository.
 * All of it is removed when the process ends, however it does.
 */
export class Workspace {
  readonly #folder: string;
  readonly #memory: string;
  readonly #keep: boolean;
  /** What this run has already. */
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
   * Looks for enough room for the data and what is made of it.
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
    // One set after the other lies there, unless they are to stay.
    requireSpace(this.#folder, sum([this.#keep ? sum(data) : highest(data), highest(places(false))]));
    requireSpace(this.#memory, highest(places(true)));
  }

  /** Builds the data, or takes what is there already. Answers its folder. */
  async data(data: DataSet, scale: number): Promise<string> {
    const folder = this.#dataFolder(data);
    if (this.#built.has(data)) return folder;
    this.#built.add(data);
    if (this.#isComplete(data, scale)) {
      // A run that breaks off may leave it changed.
      rmSync(`${folder}.complete`);
      return folder;
    }
    remove(folder);
    mkdirSync(folder, { recursive: true });
    await data.build(folder, scale);
    return folder;
  }

  /** The data is as it was built, and no longer needed by this run. */
  release(data: DataSet, scale: number): void {
    const folder = this.#dataFolder(data);
    this.#built.delete(data);
    if (this.#keep) writeFileSync(`${folder}.complete`, String(scale));
    else remove(folder);
  }

  /** An empty folder for one repository. */
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

/** By `rm`, which removes a million files in a fraction of the time that Node takes. */
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
  // Some file systems make inodes as they need them and say that there are none.
  if (files > 0 && ffree < needs.files) throw new CannotStart(`${folder} has only ${ffree} inodes free.`);
}
