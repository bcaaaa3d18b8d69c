import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeEnd,
  programEnvironment,
  runProgram,
  startProgram,
  type Ended,
  type Running,
} from '../../helpers/warm-program/run-program.ts';
import { slashedPaths } from '../../helpers/slashed-paths.ts';

export { describeEnd, type Ended, type Running };

interface WorkplaceOptions {
  /** Starts a new process for every command, for tests about the process itself. */
  readonly isReal?: boolean;
}

/**
 * A folder with a home, a destination, sources and targets, in which tests run the program that users have. Disposing of it removes
 * the folder.
 */
export class Workplace implements Disposable {
  readonly folder: string;
  readonly home: string;
  readonly destination: string;
  /** Environment variables in addition to the usual ones. */
  readonly environment: Record<string, string> = {};
  readonly #isReal: boolean;

  constructor({ isReal = false }: WorkplaceOptions = {}) {
    this.#isReal = isReal;
    this.folder = mkdtempSync(join(tmpdir(), 'holdfast-e2e-'));
    this.home = this.path('home');
    this.destination = this.path('destination');
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  /** Writes a small file, such as a password. Returns its path. */
  write(name: string, content: string): string {
    writeFileSync(this.path(name), content, { mode: 0o600 });
    return this.path(name);
  }

  /**
   * Starts the program as users do, in a process of its own.
   *
   * @param under words of a command that starts another one, such as strace
   */
  start(words: readonly string[], home = this.home, under: readonly string[] = []): Running {
    return startProgram(this.#command(words, home), under);
  }

  run(...words: readonly string[]): Promise<Ended> {
    return this.runAt(this.home, words);
  }

  runAt(home: string, words: readonly string[]): Promise<Ended> {
    return this.#isReal ? this.start(words, home).ended : runProgram(this.#command(words, home));
  }

  #command(words: readonly string[], home: string) {
    const environment = { ...programEnvironment(home, this.folder), ...this.environment };
    return { words, environment, folder: this.folder };
  }

  /** Runs a command with `--json` that has to succeed, or to exit with `status`. Returns its object. */
  async json<Answer = Readonly<Record<string, unknown>>>(words: readonly string[], status = 0): Promise<Answer> {
    const ended = await this.run(...words, '--json');
    if (ended.status !== status) throw new Error(`holdfast ${words.join(' ')}: ${describeEnd(ended)}`);
    return slashedPaths(JSON.parse(ended.stdout) as Answer);
  }

  /** Sets up the folder as the destination. Returns the recovery phrase. */
  async setUp(...options: string[]): Promise<string> {
    const ended = await this.run('setup', '--destination', this.destination, '--print-json', ...options);
    if (ended.status !== 0) throw new Error(`holdfast setup: ${describeEnd(ended)}`);
    return (JSON.parse(ended.stdout) as { recovery_phrase: string }).recovery_phrase;
  }

  /**
   * Adds a set of `paths` that excludes nothing.
   *
   * A set begins with the presets of the operating system, which exclude caches; `!*` includes everything again.
   */
  async addSet(name: string, ...paths: readonly string[]): Promise<void> {
    await this.json(['set', 'add', name, ...paths, '--exclude', '!*']);
  }

  [Symbol.dispose](): void {
    spawnSync('chmod', ['-R', 'u+rwX', this.folder], { stdio: 'ignore' });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Expects a message for people: not empty, and no stack trace. */
export function isPlainMessage(message: string): boolean {
  return (
    message.trim() !== '' &&
    !/^\s+at |\bError:|node:internal|\.ts:\d+|\bbug in Holdfast\b|undefined|\[object/m.test(message)
  );
}

/** Returns whether a program ended with one of the exit codes, and said nothing on standard error, or a message for people. */
export function isAsExpected({ status, stderr }: Ended, expected: readonly number[]): boolean {
  return status !== null && expected.includes(status) && (stderr === '' || isPlainMessage(stderr));
}

export interface BackupAnswer {
  readonly backup_id: string;
  readonly restore_point: string;
  readonly files_processed: number;
  readonly chunks_new: number;
  readonly chunks_deduped: number;
  readonly bytes_scanned: number;
  readonly bytes_new: number;
  readonly bytes_uploaded: number;
  readonly duration_seconds: number;
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
  readonly notes: readonly { readonly path: string; readonly reason: string }[];
}

export interface RestoreAnswer {
  readonly files_restored: number;
  readonly files_skipped: number;
  readonly bytes_written: number;
  readonly bytes_downloaded: number;
  readonly failures: readonly { readonly path: string; readonly chunk: string | null; readonly reason: string }[];
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
}

export interface VerifyAnswer {
  readonly files_checked: number;
  readonly chunks_checked: number;
  readonly failures: readonly { readonly path: string; readonly chunk: string | null; readonly reason: string }[];
}
