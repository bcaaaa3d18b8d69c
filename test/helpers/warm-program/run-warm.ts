import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programFile } from '../program.ts';
import { IS_THOROUGH } from '../thorough.ts';
import type { Command } from './messages.ts';
import { WarmProcess, type WarmEnd } from './warm-process.ts';

const MAIN = programFile('cli');
/** Variables that Node, its libraries or the launcher read at the start. */
const READ_AT_START = /^(?:NODE_|LD_|LANG|LC_|MALLOC_|SSL_|UV_|OPENSSL_|GLIBC_|HOLDFAST_DEBUG$)/;
const idle: WarmProcess[] = [];
let folder: string | undefined;

/**
 * Returns whether a warm process behaves as a new one would. Only the bundle can be run again, and its default home is computed once
 * in a process.
 */
export function canRunWarm(environment: Readonly<Record<string, string>>): boolean {
  return (
    process.platform === 'linux' &&
    !IS_THOROUGH &&
    MAIN.endsWith('.cjs') &&
    environment['HOLDFAST_HOME'] !== undefined &&
    Object.keys(environment).every((name) => name === 'NODE_COMPILE_CACHE' || !READ_AT_START.test(name))
  );
}

/**
 * Runs a command in a process that has loaded the program. Commands at the same time run in several.
 *
 * @throws Error if the command left files open, such as a lock
 */
export async function runWarm(command: Omit<Command, 'mark'>): Promise<WarmEnd> {
  const environment: Record<string, string> = { MALLOC_ARENA_MAX: '2', ...command.environment };
  let warm = idle.pop();
  while (warm && !warm.isUsable) {
    warm.end();
    warm = idle.pop();
  }
  warm ??= start(environment['PATH'], environment['NODE_COMPILE_CACHE']);
  const ended = await warm.run({ ...command, environment });
  if (warm.isUsable) idle.push(warm);
  const open = ended.left.filter((name) => name.startsWith('/'));
  if (open.length > 0) throw new Error(`holdfast ${command.words.join(' ')} left open: ${open.join(', ')}`);
  return ended;
}

function start(path = '', compiled = ''): WarmProcess {
  folder ??= ownFolder();
  return new WarmProcess(
    MAIN,
    { PATH: path, NODE_COMPILE_CACHE: compiled, HOME: folder, TZ: 'UTC', MALLOC_ARENA_MAX: '2' },
    folder,
  );
}

function ownFolder(): string {
  const created = mkdtempSync(join(tmpdir(), 'holdfast-warm-'));
  process.once('exit', () => rmSync(created, { recursive: true, force: true }));
  return created;
}
