/**
 * Preloaded into every thread of the program (`--import`): makes calls of `node:fs` fail that create files or write to them, as a full
 * or failing disk does. strace cannot do that, since the program wakes its own threads with the same system calls.
 */
import fs, { appendFileSync, constants } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { FileHandle } from 'node:fs/promises';

/** The environment variable with the fault, in JSON; without one, calls are only counted. */
export const FAULT_VARIABLE = 'HOLDFAST_TEST_FAULT';

export interface PreloadedFault {
  /** Receives a line for each thread that ends, with its number of calls, and one for each fault. */
  readonly log: string;
  readonly fault?: {
    readonly call: 'open' | 'write';
    /** Counted from 1, in each thread. */
    readonly at: number;
    readonly code: string;
    readonly isLasting: boolean;
  };
}

/** Standard input, output and error. */
const STANDARD = 2;

const given = process.env[FAULT_VARIABLE];
if (given !== undefined) install(JSON.parse(given) as PreloadedFault);

function install({ log, fault }: PreloadedFault): void {
  const counts = { open: 0, write: 0 };
  let isLogging = false;
  const note = (line: string): void => {
    isLogging = true;
    appendFileSync(log, `${line}\n`);
    isLogging = false;
  };
  replaceCalls({
    isDue(call) {
      if (isLogging) return false;
      counts[call] += 1;
      const isDue = fault?.call === call && (fault.isLasting ? counts[call] >= fault.at : counts[call] === fault.at);
      if (isDue) note('fired');
      return isDue;
    },
    failure: (syscall, path) =>
      Object.assign(new Error(`${fault!.code}: injected, ${syscall}`), {
        code: fault!.code,
        syscall,
        ...(typeof path === 'string' && { path }),
      }),
  });
  process.on('exit', () => note(`open=${counts.open} write=${counts.write}`));
}

interface Faults {
  isDue(call: 'open' | 'write'): boolean;
  failure(call: string, path?: unknown): Error;
}

type Any = (...values: unknown[]) => unknown;

function replaceCalls(faults: Faults): void {
  const sync = fs as unknown as Record<string, Any>;
  const promises = fs.promises as unknown as Record<string, Any>;
  replace(sync, 'openSync', (open, path, flags, ...more) => {
    if (creates(flags) && faults.isDue('open')) throw faults.failure('open', path);
    return open(path, flags, ...more);
  });
  replace(promises, 'open', async (open, path, flags, ...more) => {
    if (creates(flags) && faults.isDue('open')) throw faults.failure('open', path);
    return await open(path, flags, ...more);
  });
  replace(sync, 'writeSync', (write, file, bytes, ...more) => {
    if (typeof file !== 'number' || file <= STANDARD || !faults.isDue('write')) return write(file, bytes, ...more);
    if (bytes instanceof Uint8Array && more.length === 0) write(file, bytes.subarray(0, bytes.length >> 1));
    throw faults.failure('write');
  });
  replace(sync, 'writeFileSync', (write, file, bytes, ...more) => {
    if (!faults.isDue('write')) return write(file, bytes, ...more);
    if (bytes instanceof Uint8Array) write(file, bytes.subarray(0, bytes.length >> 1), ...more);
    throw faults.failure('write', file);
  });
  replace(promises, 'writeFile', async (write, file, bytes, ...more) => {
    if (faults.isDue('write')) throw faults.failure('write', file);
    return await write(file, bytes, ...more);
  });
  const { open } = promises;
  let isPatched = false;
  promises['open'] = async (...values) => {
    const handle = (await open!(...values)) as FileHandle;
    if (!isPatched) patchHandles(Object.getPrototypeOf(handle) as Record<string, Any>, faults);
    isPatched = true;
    return handle;
  };
  syncBuiltinESMExports();
}

function patchHandles(handles: Record<string, Any>, faults: Faults): void {
  for (const name of ['write', 'writeFile', 'writev', 'appendFile']) {
    const original = handles[name]!;
    handles[name] = async function (this: FileHandle, bytes: unknown, ...more: unknown[]) {
      if (!faults.isDue('write')) return await Reflect.apply(original, this, [bytes, ...more]);
      if (bytes instanceof Uint8Array) await Reflect.apply(original, this, [bytes.subarray(0, bytes.length >> 1)]);
      throw faults.failure('write');
    };
  }
}

function replace(
  module: Record<string, Any>,
  name: string,
  replacement: (original: Any, ...values: unknown[]) => unknown,
) {
  const original = module[name]!;
  module[name] = (...values) => replacement(original, ...values);
}

function creates(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & constants.O_CREAT) !== 0;
  return typeof flags === 'string' && /[wa]/.test(flags);
}
