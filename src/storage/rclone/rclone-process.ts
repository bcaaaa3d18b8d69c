import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { HoldfastError } from '../../base/errors/errors.ts';
import { rcloneAddress } from './rclone-address.ts';
import { MINUTE } from '../../model/units.ts';

/** Older versions do not choose a free port by themselves. */
const OLDEST = [1, 57] as const;

/** Milliseconds until rclone listens, which includes signing in to some remotes. */
const STARTING = MINUTE;

/**
 * Ends rclone when the pipe from this process closes, also because this process was killed. Windows does that by itself: child
 * processes belong to a job of their parent.
 */
const GUARD =
  'exec 3<&0; "$@" </dev/null & child=$!; { read -r _ <&3; kill "$child"; } 2>/dev/null & guard=$!; wait "$child"; code=$?; kill "$guard" 2>/dev/null; exit "$code"';

const STARTED = /Server started on \[?(http:\/\/127\.0\.0\.1:\d+\/)/;

/** Milliseconds in which a report belongs to a write that has just failed. */
const RECENT = MINUTE;

/** What remotes say of storage that is full. "Quota exceeded" alone may be about the number of requests. */
const FULL =
  /QuotaExceeded|quotaLimitReached|XMinioStorageFull|insufficient[ _](?:storage|space)|disk quota exceeded|storage (?:quota|limit) (?:is |has been )?exceeded|(?:no|not enough|out of) (?:free |disk |storage )?space|over quota/i;

/** Returns whether a line of rclone's log is about a write for which the remote has no room. */
export function isAboutRoom(line: string): boolean {
  return line.includes('ERROR') && FULL.test(line);
}

export interface RcloneConfig {
  /** A remote of rclone's configuration with a path in it, such as `drive:backups`. */
  readonly remote: string;
  /** Path of the program; by default it is searched for. */
  readonly program?: string | undefined;
  /** Path of rclone's configuration; by default rclone's own. */
  readonly configuration?: string | undefined;
}

/** A running rclone that serves a remote to this process only. */
export interface RcloneProcess {
  /** URL of its WebDAV server. */
  readonly url: string;
  readonly credentials: { readonly user: string; readonly password: string };
  /** Is aborted when it has ended, also by itself. */
  readonly ended: AbortSignal;
  /** Returns whether it has reported within the last minute that the remote has no room. */
  saidFull(): boolean;
  end(): Promise<void>;
}

/**
 * Starts rclone as a WebDAV server on the loopback, with credentials of its own.
 *
 * @throws HoldfastError `usage` if there is no usable rclone; `destination_missing` if rclone cannot open the remote
 */
export async function startRclone(config: RcloneConfig): Promise<RcloneProcess> {
  const program = config.program ?? 'rclone';
  await checkVersion(program);
  const credentials = { user: randomBytes(16).toString('hex'), password: randomBytes(32).toString('hex') };
  const words = [
    'serve',
    'webdav',
    '--addr',
    '127.0.0.1:0',
    // What other computers wrote has to be visible soon. Without a cache each file of a listing would list its folder again.
    '--dir-cache-time',
    '5s',
    '--poll-interval',
    '0',
    '--vfs-cache-mode',
    'off',
    ...(config.configuration === undefined ? [] : ['--config', config.configuration]),
    '--',
    config.remote,
  ];
  const [command, ...args] =
    process.platform === 'win32' ? [program, ...words] : ['/bin/sh', '-c', GUARD, 'sh', program, ...words];
  const child = spawn(command, args, {
    stdio: ['pipe', 'ignore', 'pipe'],
    windowsHide: true,
    // Arguments would be visible to every user of this computer.
    env: { ...process.env, RCLONE_USER: credentials.user, RCLONE_PASS: credentials.password },
  });
  const end = new AbortController();
  child.once('exit', () => end.abort());
  const url = await urlOf(child, rcloneAddress(config));
  let fullAt = Number.NEGATIVE_INFINITY;
  // Unread, the pipe would fill.
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (isAboutRoom(line)) fullAt = performance.now();
    });
  }
  return {
    url,
    credentials,
    ended: end.signal,
    saidFull: () => performance.now() - fullAt < RECENT,
    end: () => ended(child),
  };
}

/** @throws HoldfastError `usage` `rclone-missing` */
export async function checkVersion(program: string): Promise<void> {
  const needed = OLDEST.join('.');
  let found: string;
  try {
    found = (await promisify(execFile)(program, ['version'], { windowsHide: true, timeout: STARTING })).stdout;
  } catch (error) {
    throw new HoldfastError('usage', { problem: 'rclone-missing', program, needed }, { cause: error });
  }
  const [version = '', major = '0', minor = '0'] = /^rclone v(\d+)\.(\d+)\S*/.exec(found) ?? [];
  const isNew = Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
  if (isNew) return;
  throw new HoldfastError('usage', { problem: 'rclone-missing', program, needed, found: version });
}

/** Waits until rclone names its address. */
async function urlOf(child: ChildProcess, address: string): Promise<string> {
  let printed = '';
  const timer = setTimeout(() => void ended(child), STARTING);
  try {
    return await new Promise<string>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', () => {
        const cause = new Error(printed.slice(-2_000));
        reject(new HoldfastError('destination_missing', { directory: address, problem: 'rclone' }, { cause }));
      });
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        const url = STARTED.exec(printed)?.[1];
        if (url !== undefined) resolve(url);
      });
    });
  } finally {
    clearTimeout(timer);
    child.stderr?.removeAllListeners('data');
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  child.stdin?.end();
  if (process.platform === 'win32') child.kill();
  await exit;
}
