import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { canRunWarm, runWarm } from '../helpers/warm-program/run-warm.ts';

const root = dirname(dirname(import.meta.dirname));
const ON_WINDOWS = process.platform === 'win32';
/** A command of Windows would be a shell script too, whose words a test would have to quote. */
const PROGRAM = ON_WINDOWS ? [process.execPath, join(root, 'src/cli/main.ts')] : [join(root, 'bin/holdfast')];
/** What Windows and Node need there to start a program at all. */
const NEEDED = ['SystemRoot', 'TEMP', 'TMP', 'NODE_SKIP_PLATFORM_CHECK'];

/** The result of running the program. */
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
    const [program, ...rest] = [...under, ...PROGRAM, ...words] as [string, ...string[]];
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(program, rest, { stdio: [...stdio], env: this.#environmentAt(home), cwd: this.folder });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
      ([stdout, stderr, [status, signal]]): Ended => ({ status, signal, stdout, stderr }),
    );
    return { child, ended };
  }

  run(...words: readonly string[]): Promise<Ended> {
    return this.runAt(this.home, words);
  }

  /** Runs a command, in a process that has loaded the program before if it behaves as a new one does. */
  runAt(home: string, words: readonly string[]): Promise<Ended> {
    const environment = this.#environmentAt(home);
    if (this.#isReal || !canRunWarm(environment)) return this.start(words, home).ended;
    return runWarm({ words, environment, folder: this.folder });
  }

  /** Of this machine's environment, the program inherits only PATH and where compiled code is cached. */
  #environmentAt(home: string): Record<string, string> {
    const inherited = ['PATH', 'NODE_COMPILE_CACHE', ...(ON_WINDOWS ? NEEDED : [])];
    return {
      ...Object.fromEntries(inherited.flatMap((name) => [[name, process.env[name]] as const].filter(isSet))),
      HOME: this.folder,
      HOLDFAST_HOME: home,
      TZ: 'UTC',
      ...(ON_WINDOWS && { USERPROFILE: this.folder }),
      ...this.environment,
    };
  }

  /** Runs a command with `--json` that has to succeed, or to exit with `status`. Returns its object. */
  async json<Answer = Readonly<Record<string, unknown>>>(words: readonly string[], status = 0): Promise<Answer> {
    const ended = await this.run(...words, '--json');
    if (ended.status !== status) throw new Error(`holdfast ${words.join(' ')}: ${describeEnd(ended)}`);
    return JSON.parse(ended.stdout) as Answer;
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

function isSet(variable: readonly [string, string | undefined]): variable is readonly [string, string] {
  return variable[1] !== undefined;
}

export function describeEnd({ status, signal, stdout, stderr }: Ended): string {
  return `ended with ${status ?? signal}\n${stdout}${stderr}`;
}

/** Expects a message for people: not empty, and no stack trace. */
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
  readonly bytes_new: number;
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
