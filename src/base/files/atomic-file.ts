import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCodeOf } from '../errors/errors.ts';
import { giveToSync, ownerToKeep } from './keep-owner.ts';
import { nameBeside } from './name-beside.ts';

/** The calls of node:fs that an atomic write consists of; tests record their order. */
export const SYNC_CALLS = { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } as const;
/** Counterpart for the asynchronous write. */
export const ASYNC_CALLS = { open, rename, rm } as const;

const OWNER_ONLY = 0o600;

/**
 * Replaces the content of a file so that after a crash at any moment the file holds either all of the old content or all
 * of the new content. Only its owner can read it.
 *
 * The content must be on the disk before the rename is, or a power cut could leave an empty file under the final name;
 * the rename itself is on the disk only after an fsync of the folder.
 *
 * @throws the system error
 */
export function writeFileAtomicallySync(file: string, content: string | Uint8Array, calls = SYNC_CALLS): void {
  const temporary = temporaryOf(file);
  try {
    const descriptor = calls.openSync(temporary, 'w', OWNER_ONLY);
    try {
      giveToSync(descriptor, ownerToKeep(dirname(file)));
      calls.writeFileSync(descriptor, content);
      calls.fsyncSync(descriptor);
    } finally {
      calls.closeSync(descriptor);
    }
    renamePatientlySync(temporary, file, calls);
    syncFolderSync(dirname(file), calls);
  } catch (error) {
    calls.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Like `writeFileAtomicallySync`, without blocking the thread while the disk writes. */
export async function writeFileAtomically(
  file: string,
  content: string | Uint8Array,
  calls = ASYNC_CALLS,
): Promise<void> {
  const temporary = temporaryOf(file);
  try {
    const handle = await calls.open(temporary, 'w', OWNER_ONLY);
    try {
      giveToSync(handle.fd, ownerToKeep(dirname(file)));
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renamePatiently(temporary, file, calls);
    await syncFolder(dirname(file), calls);
  } catch (error) {
    await calls.rm(temporary, { force: true });
    throw error;
  }
}

/** What Windows responds while a program has a file open that is to be replaced: another process that reads it, or one that looks for viruses. */
const HELD: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** Two seconds together. */
const PAUSES_MS = Array.from({ length: 20 }, (_, attempt) => 10 * attempt);
const never = new Int32Array(new SharedArrayBuffer(4));

function renamePatientlySync(from: string, to: string, calls: typeof SYNC_CALLS): void {
  for (const pause of PAUSES_MS) {
    try {
      calls.renameSync(from, to);
      return;
    } catch (error) {
      if (!mayBeHeld(error)) throw error;
      Atomics.wait(never, 0, 0, pause);
    }
  }
  calls.renameSync(from, to);
}

async function renamePatiently(from: string, to: string, calls: typeof ASYNC_CALLS): Promise<void> {
  for (const pause of PAUSES_MS) {
    try {
      await calls.rename(from, to);
      return;
    } catch (error) {
      if (!mayBeHeld(error)) throw error;
      await sleep(pause);
    }
  }
  await calls.rename(from, to);
}

function mayBeHeld(error: unknown): boolean {
  return process.platform === 'win32' && HELD.has(systemCodeOf(error));
}

const TEMPORARY = /\.(?<pid>\d+)\.new$/;

function temporaryOf(file: string): string {
  return nameBeside(file, `.${process.pid}.new`);
}

/**
 * Removes the temporary files of processes that were killed during a write. They may contain keys, and nothing else would
 * ever remove them. Does nothing when the folder cannot be read.
 */
export function removeUnfinishedSync(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = TEMPORARY.exec(name)?.groups?.['pid'];
      if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}

/** A process of another user counts as alive too. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

/** Windows has no fsync for folders and needs none. */
function syncFolderSync(folder: string, calls: typeof SYNC_CALLS): void {
  if (process.platform === 'win32') return;
  const descriptor = calls.openSync(folder, 'r');
  try {
    calls.fsyncSync(descriptor);
  } finally {
    calls.closeSync(descriptor);
  }
}

async function syncFolder(folder: string, calls: typeof ASYNC_CALLS): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await calls.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
