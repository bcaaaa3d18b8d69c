import { readFileSync, writeFileSync } from 'node:fs';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import * as bits from './file-attributes.ts';
import { hasOwnRights, restorableDescriptor } from './security-descriptor.ts';
import type { WindowsFileSystem } from './windows-file-system.ts';
import { MIB } from '../../../model/units.ts';

/**
 * What Windows keeps about a file besides its content, as extended attributes. The names are those that NTFS-3G gives them on Linux:
 * restored there to an NTFS disk, they have the same effect.
 */
const ATTRIBUTES = 'system.ntfs_attrib';
export const SECURITY = 'system.ntfs_acl';
const REPARSE_DATA = 'system.ntfs_reparse_data';
/** Precedes the name of a stream, and on Linux that of an attribute which a person may set. */
const STREAM = 'user.';

/** Streams of one file beyond this size are not read: `E2BIG`. */
const STREAM_BYTES = 16 * MIB;

/** Colons separate a stream's name from its type, and slashes belong to paths. */
// oxlint-disable-next-line no-control-regex -- control characters are intended
const STREAM_NAME = /^[^\u0000-\u001f:/\\]{1,255}$/;

type Attributes = Readonly<Record<string, Uint8Array>>;

/** Reads and writes streams by their paths, as `node:fs` does. */
export interface StreamFiles {
  read(path: string): Uint8Array;
  write(path: string, content: Uint8Array): void;
}

const STREAM_FILES: StreamFiles = { read: (path) => readFileSync(path), write: writeFileSync };

/**
 * Reads what is not what a new file in the same folder would have by itself: chosen attributes, rights of its own, named streams, and the
 * kind of a link. Returns `undefined` if there is nothing. Parts that the process may not read are left out.
 *
 * @throws a system error `E2BIG` if the streams are too large
 */
export function readKeptSync(
  path: string,
  system: WindowsFileSystem,
  files: StreamFiles = STREAM_FILES,
): Attributes | undefined {
  const kept: Record<string, Uint8Array> = {};
  const attributes = attempt(() => system.attributesOf(path)) ?? 0;
  const isLink = (attributes & bits.REPARSE_POINT) !== 0;
  const chosen = attributes & (isLink ? bits.CHOSEN | bits.DIRECTORY : bits.CHOSEN);
  if (chosen !== 0) kept[ATTRIBUTES] = fourBytes(chosen);
  const descriptor = attempt(() => system.securityOf(path));
  if (descriptor && hasOwnRights(descriptor)) kept[SECURITY] = descriptor;
  if (isLink) {
    const data = attempt(() => system.reparseDataOf(path));
    if (data && tagOf(data) === bits.MOUNT_POINT_TAG) kept[REPARSE_DATA] = data;
  } else readStreams(path, system, files, kept);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function readStreams(
  path: string,
  system: WindowsFileSystem,
  files: StreamFiles,
  kept: Record<string, Uint8Array>,
): void {
  const streams = attempt(() => system.streamsOf(path)) ?? [];
  const bytes = streams.reduce((sum, { size }) => sum + size, 0);
  if (bytes > STREAM_BYTES) throw Object.assign(new Error(path), { code: 'E2BIG' });
  for (const { name } of streams) {
    const content = attempt(() => files.read(`${path}:${name}`));
    if (content) kept[STREAM + name] = content;
  }
}

/** Writes streams, and has the content compressed. Returns the names that could not be set, among them those of other systems. */
export function writeKeptSync(
  path: string,
  kept: Attributes,
  system: WindowsFileSystem,
  files: StreamFiles = STREAM_FILES,
): string[] {
  return Object.keys(kept).filter((name) => !isWritten(path, name, kept[name]!, system, files));
}

function isWritten(
  path: string,
  name: string,
  value: Uint8Array,
  system: WindowsFileSystem,
  files: StreamFiles,
): boolean {
  if (name === ATTRIBUTES) return isDone(() => prepareAttributes(path, value, system));
  // Set when the file has its name; made with the link.
  if (name === SECURITY || name === REPARSE_DATA) return true;
  const stream = name.startsWith(STREAM) ? name.slice(STREAM.length) : '';
  return STREAM_NAME.test(stream) && isDone(() => files.write(`${path}:${stream}`, value));
}

/** Sets what changes how the content is stored. Throws a system error also for attributes that cannot be set. */
function prepareAttributes(path: string, value: Uint8Array, system: WindowsFileSystem): void {
  if (value.length !== 4) throw Object.assign(new Error(path), { code: 'EINVAL' });
  const wanted = numberOf(value);
  const now = system.attributesOf(path);
  if ((wanted & bits.COMPRESSED) !== 0 && (now & bits.COMPRESSED) === 0) system.compress(path);
  // The content is in the clear now. Only the person whose certificate it was may encrypt it again.
  if ((wanted & bits.ENCRYPTED) !== 0 && (now & bits.ENCRYPTED) === 0) {
    throw Object.assign(new Error(path), { code: 'ENOTSUP' });
  }
}

/**
 * Sets the attributes and the rights, if there are any, after everything else: setting a time may clear the former, and the latter may
 * forbid anything. Returns the names that could not be set: the owner takes an administrator.
 */
export function writeProtectionSync(path: string, kept: Attributes, system: WindowsFileSystem): string[] {
  const attributes = kept[ATTRIBUTES];
  const hasAttributes = attributes?.length !== 4 || isDone(() => setAttributes(path, numberOf(attributes), system));
  return [...(hasAttributes ? [] : [ATTRIBUTES]), ...writeSecurity(path, kept, system)];
}

function setAttributes(path: string, wanted: number, system: WindowsFileSystem): void {
  const now = system.attributesOf(path);
  const next = (now & ~bits.SETTABLE) | (wanted & bits.SETTABLE);
  if (next !== now) system.setAttributes(path, next >>> 0);
}

function writeSecurity(path: string, kept: Attributes, system: WindowsFileSystem): string[] {
  const descriptor = kept[SECURITY];
  if (!descriptor) return [];
  const checked = restorableDescriptor(descriptor);
  if (!checked) return [SECURITY];
  let isComplete = false;
  const isSet = isDone(() => {
    isComplete = system.setSecurity(path, checked);
  });
  return isSet && isComplete ? [] : [SECURITY];
}

/** Returns how a link is made: `junction` needs no privilege, and a link to a folder is another than one to a file. */
export function linkTypeOf(kept: Attributes): 'junction' | 'dir' | 'file' {
  const data = kept[REPARSE_DATA];
  if (data && tagOf(data) === bits.MOUNT_POINT_TAG) return 'junction';
  const attributes = kept[ATTRIBUTES];
  return attributes?.length === 4 && (numberOf(attributes) & bits.DIRECTORY) !== 0 ? 'dir' : 'file';
}

function tagOf(data: Uint8Array): number | undefined {
  return data.length < 8 ? undefined : numberOf(data);
}

function numberOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
}

function fourBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value >>> 0, true);
  return bytes;
}

function isDone(work: () => void): boolean {
  const done = attempt(() => {
    work();
    return true;
  });
  return done === true;
}

/** Returns `undefined` for a system error. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}
