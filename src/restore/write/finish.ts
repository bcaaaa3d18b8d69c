import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  type BigIntStats,
} from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { syncFileSync } from '../../os/filesystem/durability.ts';
import { identityOf } from '../../os/filesystem/file-identity.ts';
import { renameOverSync } from '../../os/filesystem/rename.ts';
import { entryPathOf } from '../../os/filesystem/names/entry-path.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import type { PlanStore } from '../record/plan-store.ts';
import type { NameOfShared } from '../record/target-facts.ts';
import type { Surplus } from '../record/surplus-store.ts';
import type { PlannedLink } from '../record/planned-entry.ts';
import { TimeSlice } from '../../read/time-slice.ts';
import { metadataAt, restoreAttributes, setFolderMetadata } from './metadata.ts';
import type { RestoreRun } from './restore-run.ts';
import { finishFile, replaceKept, unlinkIfPossible, writeFailureOf } from './write-files.ts';

export interface FinishInput {
  readonly store: PlanStore;
  /** The walk through the target folder. */
  readonly walk: FolderWalk;
  readonly run: RestoreRun;
  readonly partialPrefix: string;
  /** Real path of the target folder. */
  readonly target: string;
  /** Checks what is to be moved aside once more, with the ignore files that were restored. */
  readonly confirmSurplus?: (() => Promise<void>) | undefined;
}

/** Does what has to wait until every file is written: names and attributes of files with several, then metadata of folders. */
export async function finishRestore(input: FinishInput): Promise<void> {
  const { store, run } = input;
  // Before further names are made.
  await forEach(store.found.sharedInOrder(), run, (name) => setSharedAttributes(name, input));
  await forEach(store.linksInOrder(), run, (link) => makeHardLink(link, input));
  // What is to make room for files that failed stays.
  if (run.failures.total === 0 && !run.isAborted && store.surplus.totals().entries > 0) {
    await input.confirmSurplus?.();
    await forEach(store.surplus.inOrder(), run, (found) => moveSurplus(found, input));
  }
  // Innermost first: whatever is written to a folder changes its time, and its mode may forbid entering it.
  await forEach(store.foldersInnermostFirst(), run, (folder) => {
    try {
      const names = folder.location.split('/');
      const place = input.walk.enter(names);
      const metadata = run.metadataOf(folder);
      // Those of a folder that this restore has made are undone with it.
      run.changes?.attributes(names, metadataAt(place.self), metadata);
      run.addLosses(folder.path, setFolderMetadata(place, metadata));
    } catch (error) {
      run.failed(folder, writeFailureOf(error));
    }
  });
}

async function forEach<Item>(items: Iterable<Item>, run: RestoreRun, work: (item: Item) => void): Promise<void> {
  const slice = new TimeSlice();
  for (const item of items) {
    if (run.isAborted) return;
    work(item);
    if (slice.isOver) await slice.yield();
  }
}

function moveSurplus(found: Surplus, { store, run, target }: FinishInput): void {
  try {
    if (run.movedAside?.move(found.location.split('/')) === true) store.surplus.markMoved(found.location);
  } catch (error) {
    const { reason, detail } = writeFailureOf(error);
    run.failures.add(entryPathOf(join(target, found.location)), reason, undefined, detail);
  }
}

/** Sets the attributes of an existing file if all of its names are those of entries. */
function setSharedAttributes(shared: NameOfShared, { walk, run }: FinishInput): void {
  try {
    const { folder, name } = enterFolderOf(shared.location, walk);
    const path = folder.pathOf(name);
    const metadata = run.metadataOf(shared);
    const isOwn = (stat: BigIntStats): boolean =>
      identityOf(stat) === shared.file && stat.nlink <= BigInt(shared.names);
    const stat = lstatSync(path, { bigint: true });
    if (isOwn(stat)) run.changes?.attributes(shared.location.split('/'), metadataAt(path), metadata, shared.file);
    run.addLosses(shared.path, restoreAttributes(path, metadata, isOwn));
  } catch (error) {
    run.failed(shared, writeFailureOf(error));
  }
}

function makeHardLink(link: PlannedLink, input: FinishInput): void {
  const { run } = input;
  const failure = run.failureOf(link.leader);
  if (failure || link.leaderLocation === null) {
    run.failed(link, failure ?? { reason: 'target_unwritable' });
    return;
  }
  try {
    placeHardLink(link, link.leaderLocation, input);
    run.succeeded({ ...link, size: 0 });
  } catch (error) {
    run.failed(link, writeFailureOf(error));
  }
}

function placeHardLink(link: PlannedLink, leaderLocation: string, input: FinishInput): void {
  const { walk, partialPrefix } = input;
  const leader = enterFolderOf(leaderLocation, walk);
  const leaderFolder = leader.folder.retain();
  try {
    const { folder, name } = enterFolderOf(link.location, walk);
    const from = leaderFolder.pathOf(leader.name);
    const path = folder.pathOf(name);
    const partialName = `${partialPrefix}${link.id}`;
    const partial = folder.pathOf(partialName);
    const { movedAside } = input.run;
    const folderNames = link.location.split('/').slice(0, -1);
    const kept = link.action === 'replace' ? movedAside?.keep(link.id, folderNames, name) : undefined;
    const replace = link.action === 'replace' && (!movedAside || kept !== undefined);
    try {
      linkSync(from, replace ? partial : path);
    } catch (error) {
      if (!NO_LINKS.has(systemCodeOf(error) ?? '')) throw error;
      copyInstead(link, { from, folder, name, partialName, replace, kept }, input.run);
      return;
    }
    if (!replace) return;
    try {
      if (kept === undefined) renameOverSync(partial, path);
      else replaceKept(partial, path, kept);
    } finally {
      // Renaming does nothing if both are names of one file.
      unlinkIfPossible(partial);
    }
  } finally {
    leaderFolder.release();
  }
}

/** Errors of file systems that have no hard links, or allow no further one of this file. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

interface Copy {
  readonly from: string | Buffer;
  readonly folder: Folder;
  readonly name: string;
  readonly partialName: string;
  readonly replace: boolean;
  /** The version of the file that it may replace; any by default. */
  readonly kept: string | undefined;
}

function copyInstead(link: PlannedLink, copy: Copy, run: RestoreRun): void {
  const { from, folder, name, partialName, replace, kept } = copy;
  const partial = folder.pathOf(partialName);
  copyFileSync(from, partial, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  try {
    const file = openSync(partial, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      syncFileSync(file);
      const replaced = kept === undefined ? {} : { replaced: kept };
      const naming = { partialName, name, replace, ...replaced, metadata: run.metadataOf(link) };
      run.copiedLink(fstatSync(file).size);
      run.addLosses(link.path, finishFile(file, folder.reference, naming), link.location.split('/'));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    unlinkIfPossible(partial);
    throw error;
  }
}

function enterFolderOf(location: string, walk: FolderWalk): { folder: Folder; name: string } {
  const names = location.split('/');
  const name = names.pop()!;
  return { folder: walk.enter(names), name };
}
