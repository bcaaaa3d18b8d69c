import { fchmodSync, fchownSync, lchownSync } from 'node:fs';
import { systemCodeOf } from '../../../base/errors.ts';
import type { Folder } from '../../filesystem/folder.ts';
import { setFileTimesSync, setTimesSync } from '../../filesystem/times.ts';
import { writeXattrsSync } from '../../filesystem/xattrs.ts';

/** What a file, folder or link has beside its data. */
export interface Metadata {
  readonly mode: number;
  /** Nothing where the time is not known. */
  readonly seconds: number | null;
  readonly nanoseconds: number;
  /** Nothing where ownership is not restored. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** JSON: pairs of name and base64. */
  readonly xattrs: string | null;
}

/** What could not be set: a stable word, and for attributes the name. */
export type MetadataLoss = 'owner' | 'mode' | 'time' | `xattr ${string}`;

/** Sets everything on an open file. The order matters: a new owner takes setuid and file capabilities away. */
export function setFileMetadata(file: number, path: string | Buffer, metadata: Metadata): readonly MetadataLoss[] {
  const losses: MetadataLoss[] = [];
  const { owner } = metadata;
  if (owner) attempt('owner', losses, () => fchownSync(file, owner.uid, owner.gid));
  setXattrs(path, metadata, losses);
  attempt('mode', losses, () => fchmodSync(file, metadata.mode));
  setTime(metadata, losses, (times) => setFileTimesSync(file, path, times));
  return losses;
}

/** A folder's mode comes last, since it may forbid everything else. */
export function setFolderMetadata(folder: Folder, metadata: Metadata): readonly MetadataLoss[] {
  const losses: MetadataLoss[] = [];
  const { owner } = metadata;
  if (owner) attempt('owner', losses, () => lchownSync(folder.self, owner.uid, owner.gid));
  setXattrs(folder.self, metadata, losses);
  setTime(metadata, losses, (times) => setTimesSync(folder.self, times));
  attempt('mode', losses, () => folder.setMode(metadata.mode));
  return losses;
}

/** A link has no mode of its own. */
export function setLinkMetadata(path: string | Buffer, metadata: Metadata): readonly MetadataLoss[] {
  const losses: MetadataLoss[] = [];
  const { owner } = metadata;
  if (owner) attempt('owner', losses, () => lchownSync(path, owner.uid, owner.gid));
  setXattrs(path, metadata, losses);
  setTime(metadata, losses, (times) => setTimesSync(path, times));
  return losses;
}

function setXattrs(path: string | Buffer, { xattrs }: Metadata, losses: MetadataLoss[]): void {
  if (xattrs === null) return;
  const pairs = (JSON.parse(xattrs) as [string, string][]).map(
    ([name, value]) => [name, Buffer.from(value, 'base64')] as const,
  );
  for (const name of writeXattrsSync(path, Object.fromEntries(pairs))) losses.push(`xattr ${name}`);
}

function setTime(
  { seconds, nanoseconds }: Metadata,
  losses: MetadataLoss[],
  set: (times: { readonly mtimeNs: bigint }) => void,
): void {
  if (seconds === null) return;
  attempt('time', losses, () => set({ mtimeNs: BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds) }));
}

/** File systems without owners, modes or such times restore the data all the same. */
function attempt(what: 'owner' | 'mode' | 'time', losses: MetadataLoss[], set: () => void): void {
  try {
    set();
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    losses.push(what);
  }
}
