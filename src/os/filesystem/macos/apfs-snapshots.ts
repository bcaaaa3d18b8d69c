import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomicallySync } from '../../../base/files/atomic-file.ts';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import { isWithin } from '../../../model/entry-path.ts';

/** Runs a program. Returns its output; `undefined` if it fails. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string | undefined>;

export interface MountedSnapshot {
  /** @param path entry path on the volume. Returns the entry path in the snapshot */
  placeOf(path: string): string;
}

/** Usually two seconds. */
const LIMIT_MS = 120_000;

/** Volumes of one run that are mounted. */
const MOST_VOLUMES = 16;

const CREATED = /^Created local snapshot with date: (\d{4}-\d{2}-\d{2}-\d{6})$/m;
const DATE = /^\d{4}-\d{2}-\d{2}-\d{6}$/;

/** The writable volume of the system. `/Users` and the others of /usr/share/firmlinks are folders of its root with the same names. */
const DATA_VOLUME = '/System/Volumes/Data';

/**
 * Local snapshots of APFS by `tmutil localsnapshot`, mounted read-only by `mount_apfs` (Apple, tmutil(8), mount_apfs(8)). One snapshot has all
 * volumes that Time Machine backs up. Creating, mounting and deleting it takes Full Disk Access, but no administrator. Its date is recorded in
 * a file as soon as it is known, so that the next process deletes what a killed one has left, and nobody else's snapshots. macOS deletes
 * snapshots itself after a day, or when it needs the space.
 */
export class ApfsSnapshots {
  readonly #record: string;
  readonly #mounts: string;
  readonly #run: RunProgram;
  #date: Promise<string | undefined> | undefined;
  /** By mount point of the volume. */
  readonly #mounted = new Map<string, MountedSnapshot | undefined>();

  /**
   * @param record path of the file with the dates
   * @param mounts folder in which snapshots are mounted; made when it is needed
   */
  constructor(record: string, mounts: string, run: RunProgram = runProgram) {
    this.#record = record;
    this.#mounts = mounts;
    this.#run = run;
  }

  /** Deletes the snapshots of a process that was killed. */
  async sweep(): Promise<void> {
    if (this.#recorded().length > 0) await this.deleteAll();
  }

  /** @param path entry path */
  async copyFor(path: string): Promise<MountedSnapshot | undefined> {
    const volume = mountPointIn(await this.#run('/bin/df', ['-P', path]));
    // The system volume is sealed: nothing on it changes.
    if (volume === undefined || volume === '/') return undefined;
    if (volume !== DATA_VOLUME && !isWithin(path, volume)) return undefined;
    if (!this.#mounted.has(volume)) this.#mounted.set(volume, await this.#mount(volume));
    return this.#mounted.get(volume);
  }

  async deleteAll(): Promise<void> {
    const left: string[] = [];
    for (const date of this.#recorded()) {
      const isFree = await this.#unmount(date);
      const output = isFree ? await this.#run('/usr/bin/tmutil', ['deletelocalsnapshots', date]) : undefined;
      if (output === undefined && (!isFree || (await this.#exists(date)))) left.push(date);
    }
    this.#mounted.clear();
    this.#date = undefined;
    this.#write(left);
  }

  async #mount(volume: string): Promise<MountedSnapshot | undefined> {
    const date = await (this.#date ??= this.#create());
    const number = this.#mounted.size;
    if (date === undefined || number >= MOST_VOLUMES) return undefined;
    const root = this.#mountPoint(date, number);
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const name = `com.apple.TimeMachine.${date}.local`;
    if ((await this.#run('/sbin/mount_apfs', ['-o', 'nobrowse,rdonly', '-s', name, volume, root])) === undefined) {
      // Time Machine leaves the volume out, or Full Disk Access is missing.
      removeFolder(root);
      return undefined;
    }
    return { placeOf: (path) => `${root}${isWithin(path, volume) ? path.slice(volume.length) : path}` };
  }

  async #create(): Promise<string | undefined> {
    const date = CREATED.exec((await this.#run('/usr/bin/tmutil', ['localsnapshot'])) ?? '')?.[1];
    if (date !== undefined) this.#write([...this.#recorded(), date]);
    return date;
  }

  /** Returns false if one of its mounts is in use. */
  async #unmount(date: string): Promise<boolean> {
    let isFree = true;
    for (let number = 0; number < MOST_VOLUMES; number += 1) {
      const root = this.#mountPoint(date, number);
      if (!existsSync(root)) continue;
      await this.#run('/sbin/umount', [root]);
      isFree = removeFolder(root) && isFree;
    }
    return isFree;
  }

  /** Returns true if it is not known. */
  async #exists(date: string): Promise<boolean> {
    const output = await this.#run('/usr/bin/tmutil', ['listlocalsnapshotdates', '/']);
    return output === undefined || output.split('\n').includes(date);
  }

  #mountPoint(date: string, number: number): string {
    return join(this.#mounts, `${date}-${number}`);
  }

  #recorded(): readonly string[] {
    try {
      return readFileSync(this.#record, 'utf8')
        .split('\n')
        .filter((date) => DATE.test(date));
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return [];
    }
  }

  #write(dates: readonly string[]): void {
    if (dates.length === 0 && this.#recorded().length === 0) return;
    writeFileAtomicallySync(this.#record, dates.join('\n'));
  }
}

/** Returns the mount point of a volume in the answer of `df -P` (POSIX) about one path. */
export function mountPointIn(output: string | undefined): string | undefined {
  const line = output?.trimEnd().split('\n').at(-1) ?? '';
  return /^\S+\s+\d+\s+\d+\s+-?\d+\s+\d+%\s+(\/.*)$/.exec(line)?.[1];
}

/** Removes a mount point that nothing is mounted on. Never what is in it. */
function removeFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return false;
  }
}

function runProgram(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: LIMIT_MS, env: { LC_ALL: 'C' } }, (error, stdout) => {
      resolve(error ? undefined : stdout);
    });
  });
}
