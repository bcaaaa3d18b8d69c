import { readlinkSync } from 'node:fs';
import { segmentOfBytes, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { readXattrsSync } from '../../os/filesystem/xattrs.ts';
import { MIB } from '../../model/units.ts';

/** Metadata that `lstat` does not return. */
export interface EntryDetail {
  /** A symlink's target; escaped as a whole if its bytes are not valid UTF-8. */
  readonly target?: string;
  readonly xattrs?: Readonly<Record<string, Uint8Array>>;
}

interface EncodedDetail {
  readonly target?: string;
  /** Names to base64. */
  readonly xattrs?: Readonly<Record<string, string>>;
}

/** Limit for names and values of one entry. Linux allows 64 KiB; resource forks of macOS can be huge. */
const XATTR_BYTES = 16 * MIB;

/**
 * Reads the metadata in the catalog's format; `null` if there is none. Throws system errors, and `E2BIG` if the extended
 * attributes are too large.
 */
export function readDetailSync(entryPath: string, isSymlink: boolean): string | null {
  const path = fileSystemPath(entryPath);
  const target = isSymlink ? segmentOfBytes(readlinkSync(path, { encoding: 'buffer' })) : undefined;
  const xattrs = readXattrsSync(path);
  if (xattrs && bytesOf(xattrs) > XATTR_BYTES) throw Object.assign(new Error(entryPath), { code: 'E2BIG' });
  if (target === undefined && !xattrs) return null;
  return JSON.stringify({
    ...(target === undefined ? {} : { target }),
    ...(xattrs ? { xattrs: mapValues(xattrs, (value) => Buffer.from(value).toString('base64')) } : {}),
  } satisfies EncodedDetail);
}

export function parseDetail(text: string | null): EntryDetail {
  if (text === null) return {};
  const { target, xattrs } = JSON.parse(text) as EncodedDetail;
  return {
    ...(target === undefined ? {} : { target }),
    ...(xattrs ? { xattrs: mapValues(xattrs, (value) => Buffer.from(value, 'base64')) } : {}),
  };
}

function bytesOf(xattrs: Readonly<Record<string, Uint8Array>>): number {
  return Object.entries(xattrs).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}
