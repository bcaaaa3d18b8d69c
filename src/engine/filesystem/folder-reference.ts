import { closeSync, constants, openSync } from 'node:fs';
import { NulTerminatedBuffer } from './nul-terminated-buffer.ts';
import { bytesOfSegment, mayNeedEscape } from './entry-path.ts';
import { nativeFileSystem } from './native.ts';
import { renameExclusiveSync } from './rename.ts';

/** What another thread reaches a `Folder` by, while that is held. */
export interface FolderReference {
  readonly path: string | Uint8Array;
  /** Names are looked up from it, which costs half of what they do by the path. */
  readonly handle: number | undefined;
}

const name_ = new NulTerminatedBuffer();
const newName_ = new NulTerminatedBuffer();

/** O_CLOEXEC of Linux, which Node sets by itself. */
const O_CLOEXEC = 0x80000;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** What to pass to `node:fs` for a name (a segment of an entry path) inside a folder. */
export function pathIn({ path }: FolderReference, name: string): string | Buffer {
  if (typeof path === 'string' && !mayNeedEscape(name)) return `${path}/${name}`;
  return Buffer.concat([Buffer.from(path), Buffer.from('/'), bytesOfSegment(name)]);
}

/** Makes a file that was not there and opens it for writing, for its owner alone; `closeIn` closes it. Throws a system error. */
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

/** Closes what `createFileIn` opened. Throws a system error. */
export function closeIn(folder: FolderReference, name: string, file: number): void {
  const native = folder.handle === undefined ? undefined : nativeFileSystem();
  if (!native?.inFolder) {
    closeSync(file);
    return;
  }
  if (native.inFolder.close(file) === 0) return;
  const code = native.lastError();
  // The file is closed all the same.
  if (code !== 'EINTR') throw failure(code, 'close', folder, name);
}

/** As `renameExclusiveSync`, inside a folder. */
export function renameExclusiveIn(folder: FolderReference, from: string, to: string): void {
  const native = folder.handle === undefined ? undefined : nativeFileSystem();
  if (native?.inFolder) {
    const answer = native.inFolder.renameExclusive(folder.handle!, name_.of(bytesIn(from)), newName_.of(bytesIn(to)));
    if (answer === 0) return;
    const code = native.lastError();
    if (code === 'EEXIST') throw failure(code, 'rename', folder, to);
  }
  // Says what is wrong, or knows another way.
  renameExclusiveSync(pathIn(folder, from), pathIn(folder, to));
}

function bytesIn(name: string): string | Uint8Array {
  return mayNeedEscape(name) ? bytesOfSegment(name) : name;
}

function failure(code: string, syscall: string, folder: FolderReference, name: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${pathIn(folder, name).toString()}'`), { code, syscall });
}
