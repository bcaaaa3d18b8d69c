import { chmodSync, closeSync, fchmodSync, fchownSync, lchownSync, lstatSync, type BigIntStats } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { identityOf } from '../../os/filesystem/file-identity.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import { isSystemAttribute } from '../../os/filesystem/macos/system-attributes.ts';
import { openOwnSync } from '../../os/filesystem/open-own.ts';
import { portableMode } from '../../os/filesystem/stat-record.ts';
import { nanosecondsOf, setFileTimesSync, setTimesSync } from '../../os/filesystem/times.ts';
import { otherRights, readXattrsSync, removeOtherRightsSync, writeXattrsSync } from '../../os/filesystem/xattrs.ts';
import { writeProtectionSync } from '../../os/filesystem/windows/kept-attributes.ts';
import { windowsFileSystem } from '../../os/filesystem/windows/windows-file-system.ts';
import type { Metadata, PlannedEntry } from '../record/planned-entry.ts';

const ON_WINDOWS = process.platform === 'win32';

/** Returns the attributes that this process can give an entry: only root can give it its owner. */
export function metadataOf({ mode, seconds, nanoseconds, uid, gid, xattrs }: PlannedEntry): Metadata {
  const owner = process.getuid?.() === 0 && uid !== null && gid !== null ? { uid, gid } : null;
  return { mode, seconds, nanoseconds, owner, xattrs };
}

/** Attributes that could not be set. */
export interface MetadataLoss {
  /** `shared`: nothing was set, since the file has other names, which may be elsewhere. */
  readonly attribute: 'owner' | 'mode' | 'time' | 'xattr' | 'shared';
  /** The name of an extended attribute. */
  readonly name?: string;
  /** The operating system's error code. */
  readonly code?: string;
}

/** Sets everything on an open file. The order matters: changing the owner clears setuid and file capabilities. */
export function setFileMetadata(file: number, path: string | Buffer, metadata: Metadata): readonly MetadataLoss[] {
  const losses: MetadataLoss[] = [];
  const { owner } = metadata;
  if (owner) attempt('owner', losses, () => fchownSync(file, owner.uid, owner.gid));
  setXattrs(path, metadata, losses);
  // On Windows that takes another right to the file than reading and writing.
  attempt('mode', losses, () => (ON_WINDOWS ? chmodSync(path, metadata.mode) : fchmodSync(file, metadata.mode)));
  setTime(metadata, losses, (times) => setFileTimesSync(file, path, times));
  return losses;
}

/** Sets everything on a folder. Its mode comes last, since it may forbid everything else. */
export function setFolderMetadata(folder: Folder, metadata: Metadata): readonly MetadataLoss[] {
  const losses: MetadataLoss[] = [];
  const { owner } = metadata;
  if (owner) attempt('owner', losses, () => lchownSync(folder.self, owner.uid, owner.gid));
  setXattrs(folder.self, metadata, losses);
  setTime(metadata, losses, (times) => setTimesSync(folder.self, times));
  attempt('mode', losses, () => folder.setMode(metadata.mode));
  losses.push(...setProtection(folder.self, metadata));
  return losses;
}

/** Sets everything on a link, which has no mode. */
export function setLinkMetadata(path: string | Buffer, metadata: Metadata): readonly MetadataLoss[] {
  const losses: MetadataLoss[] = [];
  const { owner } = metadata;
  if (owner) attempt('owner', losses, () => lchownSync(path, owner.uid, owner.gid));
  setXattrs(path, metadata, losses);
  setTime(metadata, losses, (times) => setTimesSync(path, times));
  return losses;
}

/**
 * Sets the attributes and rights of a file or link on Windows. Called once it has its name: they may forbid everything before. Returns what could not be
 * set.
 */
export function setProtection(path: string | Buffer, { xattrs }: Metadata): readonly MetadataLoss[] {
  const windows = xattrs === null ? undefined : windowsFileSystem();
  if (!windows || typeof path !== 'string') return [];
  return writeProtectionSync(path, valuesOf(xattrs), windows).map((name) => ({ attribute: 'xattr', name }));
}

/** Returns the attributes that a program can set. @param xattrs JSON: pairs of name and base64; `null` for none */
export function valuesOf(xattrs: string | null): Readonly<Record<string, Uint8Array>> {
  if (xattrs === null) return {};
  const pairs = (JSON.parse(xattrs) as [string, string][]).filter(([name]) => !isSystemAttribute(name));
  return Object.fromEntries(pairs.map(([name, value]) => [name, Buffer.from(value, 'base64')]));
}

const PERMISSIONS = 0o7777n;
const BILLION = 1_000_000_000n;

/** Returns whether a file, folder or link has attributes. Throws a system error. @param stat of the path itself */
export function hasMetadata(
  path: string | Buffer,
  { mode, seconds, nanoseconds, owner, xattrs }: Metadata,
  stat: BigIntStats = lstatSync(path, { bigint: true }),
): boolean {
  return (
    (stat.isSymbolicLink() || (portableMode(stat.mode) & PERMISSIONS) === BigInt(mode)) &&
    (seconds === null || stat.mtimeNs === nanosecondsOf(seconds, nanoseconds)) &&
    (owner === null || (stat.uid === BigInt(owner.uid) && stat.gid === BigInt(owner.gid))) &&
    hasXattrs(path, xattrs)
  );
}

/**
 * Sets everything on an existing file or link if anything differs: a file whose attributes are set anew is read again by the next
 * backup. Throws a system error if it cannot be opened.
 *
 * @param mayHaveNames whether a file with several names is changed: they may be elsewhere, where nothing is to change
 */
export function restoreAttributes(
  path: string | Buffer,
  metadata: Metadata,
  mayHaveNames: (stat: BigIntStats) => boolean = () => false,
): readonly MetadataLoss[] {
  const stat = lstatSync(path, { bigint: true });
  if (hasMetadata(path, metadata, stat)) return [];
  if (stat.nlink > 1n && !mayHaveNames(stat)) return [{ attribute: 'shared' }];
  if (stat.isSymbolicLink()) return [...setLinkMetadata(path, metadata), ...setProtection(path, metadata)];
  const file = openOwnSync(path, identityOf(stat));
  try {
    return [...setFileMetadata(file, path, metadata), ...setProtection(path, metadata)];
  } finally {
    closeSync(file);
  }
}

/** Reads the attributes of a file, folder or link. Throws a system error. */
export function metadataAt(path: string | Buffer): Metadata {
  const { mode, mtimeNs, uid, gid } = lstatSync(path, { bigint: true });
  const nanoseconds = ((mtimeNs % BILLION) + BILLION) % BILLION;
  const xattrs = readXattrsSync(path);
  return {
    mode: Number(portableMode(mode) & PERMISSIONS),
    seconds: Number((mtimeNs - nanoseconds) / BILLION),
    nanoseconds: Number(nanoseconds),
    owner: process.getuid?.() === 0 ? { uid: Number(uid), gid: Number(gid) } : null,
    xattrs: xattrs
      ? JSON.stringify(Object.entries(xattrs).map(([name, value]) => [name, Buffer.from(value).toString('base64')]))
      : null,
  };
}

/** Returns whether what is wanted is there, and nothing else that gives rights. Other attributes may be those of programs of today. */
function hasXattrs(path: string | Buffer, xattrs: string | null): boolean {
  const existing = readXattrsSync(path) ?? {};
  const wanted = valuesOf(xattrs);
  return (
    otherRights(Object.keys(existing), wanted).length === 0 &&
    Object.entries(wanted).every(([name, value]) => Buffer.from(existing[name] ?? []).equals(value))
  );
}

function setXattrs(path: string | Buffer, { xattrs }: Metadata, losses: MetadataLoss[]): void {
  const wanted = valuesOf(xattrs);
  const refused = [...removeOtherRightsSync(path, wanted), ...(xattrs === null ? [] : writeXattrsSync(path, wanted))];
  for (const each of refused) losses.push({ attribute: 'xattr', ...each });
}

function setTime(
  { seconds, nanoseconds }: Metadata,
  losses: MetadataLoss[],
  set: (times: { readonly mtimeNs: bigint }) => void,
): void {
  if (seconds === null) return;
  attempt('time', losses, () => set({ mtimeNs: nanosecondsOf(seconds, nanoseconds) }));
}

/** Collects failures, so that file systems without owners, modes or exact times still get the data. */
function attempt(attribute: 'owner' | 'mode' | 'time', losses: MetadataLoss[], set: () => void): void {
  try {
    set();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    losses.push({ attribute, code });
  }
}

/** Returns whether there was no room, or the disk failed: another try may set the attribute. */
export function isPassing({ code }: MetadataLoss): boolean {
  return code !== undefined && PASSING_CODES.has(code);
}

/** Errors of a disk or a network that may be well again later. Others say that the file system or this account cannot. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'ENOMEM',
  'EBUSY',
  'EAGAIN',
  'EINTR',
  'ESTALE',
  'ETIMEDOUT',
  'ENOTCONN',
  'EHOSTDOWN',
]);
