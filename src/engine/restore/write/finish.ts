import { constants, copyFileSync, linkSync, openSync, closeSync, renameSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemCodeOf } from '../../../base/errors.ts';
import { syncFileSync } from '../../filesystem/durability.ts';
import type { Folder } from '../../filesystem/folder.ts';
import type { FolderWalk } from '../../filesystem/folder-walk.ts';
import { setFolderMetadata } from './metadata.ts';
import type { PlannedEntry, PlanStore } from '../plan/plan-store.ts';
import type { Action } from '../conflicts/decision.ts';
import type { RestoreRun } from './restore-run.ts';
import { finishFile, removeQuietly, writeFailureOf } from './write-files.ts';

export interface FinishInput {
  readonly store: PlanStore;
  readonly walk: FolderWalk;
  readonly run: RestoreRun;
  readonly partialPrefix: string;
}

const PAGE_ROWS = 500;

interface LinkedEntry extends PlannedEntry {
  readonly target: string;
  readonly leader: number;
  readonly leaderPlace: string | null;
  readonly action: Action | null;
}

/** What has to wait until every file is written: further names of files, then times and modes of folders. */
export async function finishRestore(input: FinishInput): Promise<void> {
  await makeHardLinks(input);
  await finishFolders(input);
}

async function makeHardLinks({ store, walk, run, partialPrefix }: FinishInput): Promise<void> {
  // The target of a symlink and the place in the target folder share a name: the place comes last and counts.
  const page = store.database.prepare(
    `SELECT entry.*, decision.action, hard_link.leader, leading.target AS leaderPlace, place.target
     FROM hard_link JOIN entry USING (id) JOIN place USING (id) LEFT JOIN decision USING (id)
     LEFT JOIN place AS leading ON leading.id = hard_link.leader
     WHERE hard_link.id > ? AND hard_link.id <> hard_link.leader AND coalesce(decision.action, '') <> 'done'
     ORDER BY hard_link.id LIMIT ${PAGE_ROWS}`,
  );
  for (let last = 0; !run.ending || run.stoppedBy !== undefined;) {
    const rows = page.all(last) as LinkedEntry[];
    if (rows.length === 0) return;
    for (const row of rows) linkOne(row, walk, run, partialPrefix);
    last = rows.at(-1)!.id;
    await nextTurn();
  }
}

function linkOne(entry: LinkedEntry, walk: FolderWalk, run: RestoreRun, partialPrefix: string): void {
  const known = run.failureOf(entry.leader);
  if (known || entry.leaderPlace === null) {
    run.failed(entry, known ?? { reason: 'target_unwritable' });
    return;
  }
  try {
    placeLink(entry, entry.leaderPlace, walk, run, partialPrefix);
    run.succeeded({ ...entry, size: 0 });
  } catch (error) {
    run.failed(entry, writeFailureOf(error));
  }
}

function placeLink(
  entry: LinkedEntry,
  leaderPlace: string,
  walk: FolderWalk,
  run: RestoreRun,
  partialPrefix: string,
): void {
  const from = enterFolderOf(leaderPlace, walk);
  const source = from.folder.retain();
  try {
    const to = enterFolderOf(entry.target, walk);
    const path = to.folder.pathOf(to.name);
    const partial = to.folder.pathOf(`${partialPrefix}${entry.id}`);
    const replace = entry.action === 'replace';
    try {
      linkSync(source.pathOf(from.name), replace ? partial : path);
    } catch (error) {
      if (!NO_LINKS.has(systemCodeOf(error) ?? '')) throw error;
      copyInstead(
        entry,
        { from: source.pathOf(from.name), to, partialName: `${partialPrefix}${entry.id}`, replace },
        run,
      );
      return;
    }
    if (!replace) return;
    renameSync(partial, path);
    // Two names of one file are not renamed onto each other.
    removeQuietly(partial);
  } finally {
    source.release();
  }
}

/** What file systems answer that have no hard links, or no further one of this file. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

interface Copy {
  readonly from: string | Buffer;
  readonly to: { readonly folder: Folder; readonly name: string };
  readonly partialName: string;
  readonly replace: boolean;
}

function copyInstead(entry: LinkedEntry, { from, to, partialName, replace }: Copy, run: RestoreRun): void {
  const partial = to.folder.pathOf(partialName);
  copyFileSync(from, partial, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  try {
    const file = openSync(partial, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      const naming = { partialName, name: to.name, replace, metadata: run.metadataOf(entry) };
      syncFileSync(file);
      run.lost(entry.path, finishFile(file, to.folder.reference, naming));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    removeQuietly(partial);
    throw error;
  }
}

function enterFolderOf(target: string, walk: FolderWalk): { folder: Folder; name: string } {
  const names = target.split('/');
  const name = names.pop()!;
  return { folder: walk.enter(names), name };
}

/** Deepest first: whatever is written in a folder changes its time, and its mode may forbid to enter. */
async function finishFolders({ store, walk, run }: FinishInput): Promise<void> {
  const page = store.database.prepare(
    `SELECT entry.*, place.target FROM place JOIN entry USING (id)
     WHERE entry.type = 'directory' AND place.id < ? ORDER BY place.id DESC LIMIT ${PAGE_ROWS}`,
  );
  for (let last = Number.MAX_SAFE_INTEGER; !run.ending || run.stoppedBy !== undefined;) {
    const rows = page.all(last) as (PlannedEntry & { readonly target: string })[];
    if (rows.length === 0) return;
    for (const row of rows) {
      try {
        run.lost(row.path, setFolderMetadata(walk.enter(row.target.split('/')), run.metadataOf(row)));
      } catch (error) {
        run.failed(row, writeFailureOf(error));
      }
    }
    last = rows.at(-1)!.id;
    await nextTurn();
  }
}
