import { closeSync, constants, openSync } from 'node:fs';
import { NulTerminatedBuffer } from './nul-terminated-buffer.ts';
import { bytesOfSegment, mayNeedEscape } from './names/entry-path.ts';
import { nativeFileSystem } from './native.ts';
import { renameExclusiveSync } from './rename.ts';

/** Gives other threads access to a `Folder` while it is held. */
export interface FolderReference {
  readonly path: string | Uint8Array;
  /** Look-ups relative to it cost half of those by path. */
  readonly handle: number | undefined;
}

const name_ = new NulTerminatedBuffer();
const newName_ = new NulTerminatedBuffer();

/** O_CLOEXEC of Linux. Node sets it by default. */
const O_CLOEXEC = 0x80000;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Returns the `node:fs` path of a name (a segment of an entry path) in a folder. */
export function pathIn({ path }: FolderReference, name: string): string | Buffer {
  if (typeof path === 'string' && !mayNeedEscape(name)) return `${path}/${name}`;
  return Buffer.concat([Buffer.from(path), Buffer.from('/'), bytesOfSegment(name)]);
}

/** Creates a file with access for its owner only and opens it for writing; `closeIn` closes it. Throws a system error. */
export function createFileIn(folder: FolderReference, name: string): number {
  const native = folder.handle === undefined ? undefined : nativeFileSystem();
  if (!native?.inFolder) return openSync(pathIn(folder, name), NEW_FILE, 0o600);
  for (;;) {
    const file = native.inFolder.open(folder.handle!, name_.of(bytesIn(name)), NEW_FILE | O_CLOEXEC, 0o600);
    if (file >= 0) return file;
    const code = native.lastError();
    if (code !== 'EINTR') throw failure(code, 'open', folder, name);
  }
}

/** Closes a file from `createFileIn`. Throws a system error. */
export function closeIn(folder: FolderReference, name: string, file: number): void {
  const native = folder.handle === undefined ? undefined : nativeFileSystem();
  if (!native?.inFolder) {
    closeSync(file);
    return;
  }
  if (native.inFolder.close(file) === 0) return;
  const code = native.lastError();
  // After EINTR the file is closed.
  if (code !== 'EINTR') throw failure(code, 'close', folder, name);
}

/** Renames within a folder, as `renameExclusiveSync` does. */
export function renameExclusiveIn(folder: FolderReference, from: string, to: string): void {
  const native = folder.handle === undefined ? undefined : nativeFileSystem();
  if (native?.inFolder) {
    const answer = native.inFolder.renameExclusive(folder.handle!, name_.of(bytesIn(from)), newName_.of(bytesIn(to)));
    if (answer === 0) return;
    const code = native.lastError();
    if (code === 'EEXIST') throw failure(code, 'rename', folder, to);
  }
  // Throws the error, or renames in another way.
  renameExclusiveSync(pathIn(folder, from), pathIn(folder, to));
}

function bytesIn(name: string): string | Uint8Array {
  return mayNeedEscape(name) ? bytesOfSegment(name) : name;
}

function failure(code: string, syscall: string, folder: FolderReference, name: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${pathIn(folder, name).toString()}'`), { code, syscall });
}
