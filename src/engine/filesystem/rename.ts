import { lstatSync, renameSync } from 'node:fs';
import { NulTerminatedBuffer } from './nul-terminated-buffer.ts';
import { nativeFileSystem } from './native.ts';

const from_ = new NulTerminatedBuffer();
const to_ = new NulTerminatedBuffer();

/**
 * Renames a file. Throws a system error EEXIST if the new name exists; on file systems that treat two spellings as one name,
 * that cannot be checked in advance.
 */
export function renameExclusiveSync(from: string | Buffer, to: string | Buffer): void {
  const native = nativeFileSystem();
  if (native?.renameExclusive) {
    if (native.renameExclusive(from_.of(from), to_.of(to)) === 0) return;
    const code = native.lastError();
    if (code !== 'EINVAL' && code !== 'ENOSYS' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw failure(code, to);
  }
  if (lstatSync(to, { throwIfNoEntry: false })) throw failure('EEXIST', to);
  renameSync(from, to);
}

function failure(code: string, path: string | Buffer): Error {
  return Object.assign(new Error(`${code}: rename to '${path.toString()}'`), { code, syscall: 'rename' });
}
