import { bytesOfSegment, segmentOfBytes } from './entry-path.ts';
import { NulTerminatedBuffer } from './nul-terminated-buffer.ts';
import { nativeFileSystem, type NativeFileSystem } from './native.ts';

/** Names to values. A name that is no valid UTF-8 is escaped as a segment of an entry path is. */
export type Xattrs = Readonly<Record<string, Uint8Array>>;

/** What Linux allows for a list of names and for a value (XATTR_LIST_MAX, XATTR_SIZE_MAX); macOS allows larger values. */
const FIRST_SIZE = 65_536;

const path_ = new NulTerminatedBuffer();
const name_ = new NulTerminatedBuffer();
let scratch = Buffer.alloc(FIRST_SIZE);

/**
 * The extended attributes of a file, folder or link (not of what a link points to). Nothing where there are none, where
 * the file system has no such thing, and where the path is gone. An attribute that may not be read is left out.
 */
export function readXattrsSync(path: string | Buffer): Xattrs | undefined {
  const native = nativeFileSystem();
  if (!native) return undefined;
  const cPath = path_.of(path);
  const length = intoScratch(native, (into) => native.listXattrs(cPath, into, into.length));
  if (length <= 0) return undefined;
  const found: Record<string, Uint8Array> = {};
  let any = false;
  for (const name of namesOf(scratch.subarray(0, length))) {
    const cName = name_.of(name);
    const size = intoScratch(native, (into) => native.getXattr(cPath, cName, into, into.length));
    if (size < 0) continue;
    found[segmentOfBytes(name)] = Uint8Array.from(scratch.subarray(0, size));
    any = true;
  }
  return any ? found : undefined;
}

/** Sets each attribute; answers the names that could not be set (another system's, or one that needs privileges). */
export function writeXattrsSync(path: string | Buffer, xattrs: Xattrs): string[] {
  const native = nativeFileSystem();
  const names = Object.keys(xattrs);
  if (!native) return names;
  const cPath = path_.of(path);
  return names.filter((name) => {
    const bytes = bytesOfSegment(name);
    if (bytes.length === 0 || bytes.includes(0)) return true;
    const value = xattrs[name] ?? new Uint8Array();
    return native.setXattr(cPath, name_.of(bytes), value, value.length) !== 0;
  });
}

/** Calls again with more room where an answer did not fit. */
function intoScratch(native: NativeFileSystem, call: (into: Uint8Array) => number): number {
  for (;;) {
    const length = call(scratch);
    if (length >= 0 || native.lastError() !== 'ERANGE' || scratch.length > 2 ** 27) return length;
    scratch = Buffer.alloc(scratch.length * 8);
  }
}

/** Copies, since the list's buffer is used for the values next. */
function namesOf(list: Uint8Array): Buffer[] {
  const names: Buffer[] = [];
  let start = 0;
  for (let end = list.indexOf(0); end >= 0; end = list.indexOf(0, start)) {
    if (end > start) names.push(Buffer.from(list.subarray(start, end)));
    start = end + 1;
  }
  return names;
}
