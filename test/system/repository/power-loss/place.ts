import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseLog, straceCommand, type SystemCall } from './system-calls.ts';
import { FAST_FOLDER } from '../../../helpers/fast-folder.ts';
import { differences as compare } from '../../../helpers/differences.ts';

const PROGRAM = join(import.meta.dirname, '../../../../bin/holdfast');

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Folders of one campaign. What a power loss hits is in `root`: the destination and the homes. States are written to the same paths
 * at which they were recorded, since settings and catalogs contain them.
 */
export class Place implements Disposable {
  readonly folder = mkdtempSync(join(FAST_FOLDER, 'holdfast-power-loss-'));
  readonly root = this.path('root');
  readonly destination = join(this.root, 'destination');
  /** Versions of the sources: the one that is in place, and the newest. */
  readonly #versions = new Map<string, { readonly current: number; readonly newest: number }>();

  constructor() {
    for (const name of ['root', 'sources', 'versions', 'user']) mkdirSync(this.path(name));
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  home(name: string): string {
    return join(this.root, name);
  }

  source(set: string): string {
    return this.path('sources', set);
  }

  /** Starts a new version of a set's source, which is a copy of the one in place, or empty. Returns its number. */
  newVersion(set: string): number {
    const { current, newest } = this.#versionsOf(set);
    const number = newest + 1;
    const folder = this.#version(set, number);
    if (current === 0) mkdirSync(folder);
    else cpSync(this.source(set), folder, { recursive: true, preserveTimestamps: true });
    this.useVersion(set, number);
    return number;
  }

  /** Moves a version of a source into place: its files stay the same to a backup. */
  useVersion(set: string, number: number): void {
    const { current, newest } = this.#versionsOf(set);
    if (current === number) return;
    if (current > 0) renameSync(this.source(set), this.#version(set, current));
    renameSync(this.#version(set, number), this.source(set));
    this.#versions.set(set, { current: number, newest: Math.max(number, newest) });
  }

  #versionsOf(set: string) {
    return this.#versions.get(set) ?? { current: 0, newest: 0 };
  }

  #version(set: string, number: number): string {
    return this.path('versions', `${set}-${number}`);
  }

  /** A new empty folder in place of the destination and the homes. */
  emptyRoot(): void {
    rmSync(this.root, { recursive: true, force: true });
    mkdirSync(this.root);
  }

  run(home: string, words: readonly string[]): CommandResult {
    return this.#run([PROGRAM, ...words], home);
  }

  /** Runs a command and records its calls. */
  record(home: string, words: readonly string[]): CommandResult & { readonly calls: readonly SystemCall[] } {
    const file = this.path('calls');
    const result = this.#run([...straceCommand(file), PROGRAM, ...words], home);
    return { ...result, calls: parseLog(readFileSync(file, 'latin1')) };
  }

  #run([program, ...words]: readonly string[], home: string): CommandResult {
    const env = { PATH: process.env['PATH'], HOME: this.path('user'), HOLDFAST_HOME: home, TZ: 'UTC' };
    const { status, stdout, stderr } = spawnSync(program!, words, {
      env,
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { status, stdout, stderr };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns whether this machine has strace, and lets it trace. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=fsync', 'true'], { stdio: 'ignore' }).status === 0;
}

/** Differences that diff finds, one per line. What SQLite maps into memory is not compared. */
export function differences(one: string, other: string): string {
  return compare(one, other, '-x', '*-shm');
}
