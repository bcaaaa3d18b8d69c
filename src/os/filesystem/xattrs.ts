import { isSystemAttribute } from './macos/system-attributes.ts';
import { bytesOfSegment, segmentOfBytes } from './names/entry-path.ts';
import { NulTerminatedBuffer } from './nul-terminated-buffer.ts';
import { nativeFileSystem, type NativeFileSystem } from './native.ts';
import { readKeptSync, writeKeptSync } from './windows/kept-attributes.ts';
import { windowsFileSystem } from './windows/windows-file-system.ts';

/** Names to values. A name that is not valid UTF-8 is escaped like a segment of an entry path. */
export type Xattrs = Readonly<Record<string, Uint8Array>>;

/** Limit of Linux for a list of names and for a value (XATTR_LIST_MAX, XATTR_SIZE_MAX); macOS allows larger values. */
const FIRST_SIZE = 65_536;

const path_ = new NulTerminatedBuffer();
const name_ = new NulTerminatedBuffer();
let scratch = Buffer.alloc(FIRST_SIZE);

/**
 * Reads the extended attributes of a file, folder or link (not of a link's target), without unreadable ones and those that
 * macOS sets for itself. Returns `undefined` if there are none, if the file system does not support them, or if the path is gone. On Windows they are what
 * it keeps besides the content.
 */
export function readXattrsSync(path: string | Buffer, native = nativeFileSystem()): Xattrs | undefined {
  const windows = windowsFileSystem();
  if (windows) return typeof path === 'string' ? readKeptSync(path, windows) : undefined;
  if (!native) return undefined;
  const cPath = path_.of(path);
  const found: Record<string, Uint8Array> = {};
  let any = false;
  for (const name of namesAt(cPath, native)) {
    const key = segmentOfBytes(name);
    if (isSystemAttribute(key)) continue;
    const cName = name_.of(name);
    const size = intoScratch(native, (into) => native.getXattr(cPath, cName, into, into.length));
    if (size < 0) continue;
    found[key] = Uint8Array.from(scratch.subarray(0, size));
    any = true;
  }
  return any ? found : undefined;
}

/** An attribute that could not be set, with the operating system's error code if it was tried. */
export interface RefusedXattr {
  readonly name: string;
  readonly code?: string;
}

/** Sets attributes. Returns those that could not be set (another system's, or privileged ones). */
export function writeXattrsSync(path: string | Buffer, xattrs: Xattrs): RefusedXattr[] {
  const windows = windowsFileSystem();
  if (windows && typeof path === 'string') return writeKeptSync(path, xattrs, windows).map((name) => ({ name }));
  const native = nativeFileSystem();
  const names = Object.keys(xattrs);
  if (!native) return names.map((name) => ({ name }));
  const cPath = path_.of(path);
  return names.flatMap((name): RefusedXattr[] => {
    const bytes = bytesOfSegment(name);
    if (bytes.length === 0 || bytes.includes(0)) return [{ name }];
    const value = xattrs[name] ?? new Uint8Array();
    const isSet = native.setXattr(cPath, name_.of(bytes), value, value.length) === 0;
    return isSet ? [] : [{ name, code: native.lastError() }];
  });
}

/** Attributes of Linux that give people or programs rights: access control lists, those that a folder passes on, and capabilities. */
const RIGHTS = ['system.posix_acl_access', 'system.posix_acl_default', 'security.capability'];

/** Returns the names of those attributes that give rights and are not among the wanted ones. */
export function otherRights(existing: readonly string[], wanted: Xattrs): readonly string[] {
  return RIGHTS.filter((name) => existing.includes(name) && !Object.hasOwn(wanted, name));
}

/** Removes attributes that give rights and are not among the wanted ones. Returns those that could not be removed. */
export function removeOtherRightsSync(path: string | Buffer, wanted: Xattrs): readonly RefusedXattr[] {
  const native = nativeFileSystem();
  if (!native) return [];
  const cPath = path_.of(path);
  const existing = namesAt(cPath, native).map((name) => segmentOfBytes(name));
  return otherRights(existing, wanted).flatMap((name): RefusedXattr[] => {
    const isRemoved = native.removeXattr(cPath, name_.of(Buffer.from(name))) === 0;
    return isRemoved ? [] : [{ name, code: native.lastError() }];
  });
}

/** Repeats the call with a larger buffer if the result did not fit. */
function intoScratch(native: NativeFileSystem, call: (into: Uint8Array) => number): number {
  for (;;) {
    const length = call(scratch);
    if (length >= 0 || native.lastError() !== 'ERANGE' || scratch.length > 2 ** 27) return length;
    scratch = Buffer.alloc(scratch.length * 8);
  }
}

/** Returns no names if the file system does not support attributes, or if the path is gone. */
function namesAt(path: Uint8Array, native: NativeFileSystem): readonly Buffer[] {
  const length = intoScratch(native, (into) => native.listXattrs(path, into, into.length));
  return length <= 0 ? [] : namesOf(scratch.subarray(0, length));
}

/** Copies the names, since the buffer is reused for the values. */
function namesOf(list: Uint8Array): Buffer[] {
  const names: Buffer[] = [];
  let start = 0;
  for (let end = list.indexOf(0); end >= 0; end = list.indexOf(0, start)) {
    if (end > start) names.push(Buffer.from(list.subarray(start, end)));
    start = end + 1;
  }
  return names;
}
