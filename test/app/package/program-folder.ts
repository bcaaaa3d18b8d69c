import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildPackages } from '../../../scripts/package/build-packages.ts';
import { ELECTRON_CHOICE_VARIABLE } from '../../../scripts/electron/binary.ts';
import { testEnvironment } from '../electron-fixture.ts';

const root = dirname(dirname(dirname(import.meta.dirname)));

/** An ordinary user: Chromium's sandbox does not work for root. */
const NOBODY = 65_534;

/** For a build on a busy machine, which installs electron-builder first. */
export const BUILD_PATIENCE_MS = 900_000;

interface BuildOptions {
  readonly version?: string;
  readonly isForTests?: boolean;
}

/** Builds the program as it is shipped, without packing it. @returns its folder */
export async function buildProgram(
  folder: string,
  { version, isForTests = false }: BuildOptions = {},
): Promise<string> {
  process.env[ELECTRON_CHOICE_VARIABLE] ??= 'registry-copy';
  await buildPackages({ root, out: folder, only: [], version, isForTests, say: () => undefined });
  return join(folder, 'linux-unpacked');
}

/** An ordinary user with a home, who runs programs of the package. */
export class Person implements Disposable {
  readonly folder: string;
  readonly #words: readonly string[];

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'holdfast-person-'));
    mkdirSync(join(this.folder, 'runtime'), { mode: 0o700 });
    const isRoot = process.getuid?.() === 0;
    this.own(this.folder, join(this.folder, 'runtime'));
    chmodSync(this.folder, 0o755);
    const id = String(NOBODY);
    this.#words = isRoot ? ['setpriv', '--reuid', id, '--regid', id, '--clear-groups'] : [];
  }

  /** Gives files to the person. */
  own(...paths: readonly string[]): void {
    if (process.getuid?.() !== 0) return;
    for (const path of paths) chownSync(path, NOBODY, NOBODY);
  }

  /** Starts a program, which ends with this process. */
  start(display: string, environment: NodeJS.ProcessEnv, ...words: readonly string[]): ChildProcess {
    const [program, ...rest] = [...this.#words, ...words];
    return spawn('setpriv', ['--pdeathsig', 'KILL', program!, ...rest], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...testEnvironment(this.folder, display, 'en-GB'), ...environment },
    });
  }

  /** Runs a program to its end. */
  run(
    environment: NodeJS.ProcessEnv,
    ...words: readonly string[]
  ): { readonly status: number | null; readonly output: string } {
    const [program, ...rest] = [...this.#words, ...words];
    const { status, stdout, stderr } = spawnSync(program!, rest, {
      encoding: 'utf8',
      env: { ...testEnvironment(this.folder, '', 'en-GB'), ...environment },
    });
    return { status, output: `${stdout}${stderr}` };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ends a program as the system does. */
export async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await ended;
}
