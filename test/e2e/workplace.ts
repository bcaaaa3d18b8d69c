import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const PROGRAM = join(dirname(dirname(import.meta.dirname)), 'bin/holdfast');

/** How a run of the program ended. */
export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/**
 * A folder with a home, a destination and room for sources and targets; `holdfast` in it is the program that people
 * have, as a child process. Disposing of it removes the folder.
 */
export class Workplace implements Disposable {
  readonly folder: string;
  readonly home: string;
  readonly destination: string;
  /** Reaches the program beside what it always gets. */
  readonly environment: Record<string, string> = {};

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'holdfast-e2e-'));
    this.home = this.path('home');
    this.destination = this.path('destination');
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  /** Writes a small file, such as a password, and answers its path. */
  write(name: string, content: string): string {
    writeFileSync(this.path(name), content, { mode: 0o600 });
    return this.path(name);
  }

  /** Starts the program; nothing of this machine's own environment but its PATH reaches it. */
  start(words: readonly string[], home = this.home): Running {
    const environment = {
      PATH: process.env['PATH'],
      HOME: this.folder,
      HOLDFAST_HOME: home,
      TZ: 'UTC',
      ...this.environment,
    };
    const child = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'pipe'], env: environment, cwd: this.folder });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
      ([stdout, stderr, [status, signal]]): Ended => ({ status, signal, stdout, stderr }),
    );
    return { child, ended };
  }

  run(...words: readonly string[]): Promise<Ended> {
    return this.start(words).ended;
  }

  /** Runs a command with `--json` that has to end well (or, with `status`, as it says) and answers its one object. */
  async json<Answer = Readonly<Record<string, unknown>>>(words: readonly string[], status = 0): Promise<Answer> {
    const ended = await this.run(...words, '--json');
    if (ended.status !== status) throw new Error(`holdfast ${words.join(' ')}: ${describeEnd(ended)}`);
    return JSON.parse(ended.stdout) as Answer;
  }

  /** Sets up the embedded service and answers the recovery phrase. */
  async setUp(): Promise<string> {
    const ended = await this.run('setup', '--destination', this.destination, '--print-json');
    if (ended.status !== 0) throw new Error(`holdfast setup: ${describeEnd(ended)}`);
    return (JSON.parse(ended.stdout) as { recovery_phrase: string }).recovery_phrase;
  }

  /**
   * A set of `paths` that leaves nothing out.
   *
   * A set starts with the presets of the operating system, which leave caches out; `!*` takes everything back.
   */
  async addSet(name: string, ...paths: readonly string[]): Promise<void> {
    await this.json(['set', 'add', name, ...paths, '--exclude', '!*']);
  }

  [Symbol.dispose](): void {
    spawnSync('chmod', ['-R', 'u+rwX', this.folder], { stdio: 'ignore' });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function describeEnd({ status, signal, stdout, stderr }: Ended): string {
  return `ended with ${status ?? signal}\n${stdout}${stderr}`;
}

/** What every message for people has to be: it says something, and it is no stack trace. */
export function isPlainMessage(message: string): boolean {
  return (
    message.trim() !== '' &&
    !/^\s+at |\bError:|node:internal|\.ts:\d+|\bbug in Holdfast\b|undefined|\[object/m.test(message)
  );
}

export interface BackupAnswer {
  readonly backup_id: string;
  readonly restore_point: string;
  readonly files_processed: number;
  readonly chunks_new: number;
  readonly chunks_deduped: number;
  readonly bytes_scanned: number;
  readonly bytes_uploaded: number;
  readonly duration_seconds: number;
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
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
