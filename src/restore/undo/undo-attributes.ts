import { lstatSync, type BigIntStats } from 'node:fs';
import { identityOf } from '../../os/filesystem/file-identity.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import { restoreAttributes, setFolderMetadata, type MetadataLoss } from '../write/metadata.ts';
import type { Metadata } from '../record/planned-entry.ts';

/**
 * A record gives nothing the rights of another person: the owner is the one that it has, or that of its folder, and a program runs as
 * its owner or group only if it does now.
 */
export function withoutNewRights(attributes: Metadata, now: BigIntStats, parent: BigIntStats): Metadata {
  const { mode, owner } = attributes;
  const isOwnerOf = ({ uid, gid }: BigIntStats): boolean => owner?.uid === Number(uid) && owner.gid === Number(gid);
  return {
    ...attributes,
    mode: mode & (0o1777 | (Number(now.mode) & 0o6000)),
    owner: isOwnerOf(now) || isOwnerOf(parent) ? owner : null,
  };
}

/**
 * Gives something the attributes that it had before the restore. Throws a system error.
 *
 * @param file identifies a file with several names whose attributes the restore has set
 * @returns those that could not be set
 */
export function setBefore(
  walk: FolderWalk,
  names: readonly string[],
  before: Metadata,
  file: string | undefined,
): readonly MetadataLoss[] {
  const path = walk.pathOf(names);
  if (lstatSync(path).isDirectory()) return setFolderMetadata(walk.enter(names), before);
  return restoreAttributes(path, before, (stat) => identityOf(stat) === file);
}
