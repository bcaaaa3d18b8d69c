import { HoldfastError } from '../../base/errors/errors.ts';
import {
  CHECKPOINTS_FOLDER,
  DAMAGED_FOLDER,
  KEYS_FOLDER,
  LEDGER_FOLDER,
  packHashIn,
  PACKS_FOLDER,
  PARITY_FOLDER,
  RESERVE_FOLDER,
} from '../../format/repository/file-names.ts';
import { LARGEST_PACK_BYTES } from '../../format/repository/pack-file.ts';
import { LARGEST_LEDGER_FILE_BYTES } from '../../format/repository/segment.ts';
import { hashStored } from '../../storage/hash-stored.ts';
import type { Move, Obstacle, Storage } from '../../storage/storage.ts';
import { readIfReadable } from '../../storage/read-stored.ts';
import { CLAIM_BYTES } from '../../storage/stored-name.ts';
import { isOfOneFolder, leaveOut } from '../../storage/unreadable.ts';

/** What became of a damaged file: `kept` where the store forbids deletion. */
export type Moved = 'moved' | 'kept' | 'missing';

/** The most bytes that are copied where a store cannot move a file: no file of a repository has more. */
const LARGEST_COPY_BYTES = LARGEST_LEDGER_FILE_BYTES;

/**
 * Moves a damaged file to `damaged/`, and whatever else has its name. A store that cannot move it copies it and then deletes it; a file with
 * more bytes than any of a repository is kept there. Nothing is deleted without a copy.
 */
export async function moveAside(storage: Storage, name: string, signal?: AbortSignal): Promise<Moved> {
  // A pack with the bytes that its name promises is not what is damaged.
  const hash = packHashIn(name);
  if (hash !== undefined && (await hashStored(storage, name, LARGEST_PACK_BYTES, signal)) === hash) return 'kept';
  try {
    // One that cannot be read can be moved all the same.
    const first = await readIfReadable(storage, name, { offset: 0, length: CLAIM_BYTES + 1 }, signal);
    const asideOf = (number: number): string => asideName(name, number);
    // A store takes so short a file for one that is being created.
    const isClaim = first !== undefined && first.length <= CLAIM_BYTES;
    const moved = isClaim ? 'unsupported' : await moveFile(storage, name, asideOf, signal);
    return moved === 'unsupported' ? await copyAside(storage, { name, first, asideOf }, signal) : moved;
  } catch (error) {
    // A disk that cannot read a folder may be unable to change it as well.
    if (isOfOneFolder(error)) return 'kept';
    throw error;
  }
}

/**
 * Writes a file in the place of what is damaged or no file at all, which is moved aside.
 *
 * @returns `undefined` if the store does not permit that there, or its disk fails
 */
export async function writeAnew(
  storage: Storage,
  name: string,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<Moved | undefined> {
  const moved = await moveAside(storage, name, signal);
  if (moved === 'kept') return undefined;
  try {
    await storage.put(name, [bytes], signal);
    return moved;
  } catch (error) {
    if (isOfOneFolder(error)) return undefined;
    throw error;
  }
}

/** Folders of a repository in the order in which they are made free: the others go to the first. */
const FOLDERS = [
  DAMAGED_FOLDER,
  KEYS_FOLDER,
  LEDGER_FOLDER,
  CHECKPOINTS_FOLDER,
  PACKS_FOLDER,
  PARITY_FOLDER,
  RESERVE_FOLDER,
].map((folder) => folder.slice(0, -1));

const WRITER = /^[0-9a-f]{32}$/;
const FIRST_DIGITS = /^[0-9a-f]{2}$/;

/** Folders whose content nothing else contains. Another disk may have them. */
const DATA_FOLDERS: ReadonlySet<string> = new Set([LEDGER_FOLDER, PACKS_FOLDER, PARITY_FOLDER]);

/** Folders in which repositories have folders, with the names of these. */
const FOLDERS_IN: readonly (readonly [folder: string, isFolder: (name: string) => boolean])[] = [
  ...[LEDGER_FOLDER, CHECKPOINTS_FOLDER].map((folder) => [folder, (name: string) => WRITER.test(name)] as const),
  ...[PACKS_FOLDER, PARITY_FOLDER].map((folder) => [folder, (name: string) => FIRST_DIGITS.test(name)] as const),
];

/** Returns the names of folders in those of the root that may be something else: a listing of files has them. */
async function nestedNames(
  storage: Storage,
  obstacles: readonly Obstacle[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [folder, isFolder] of FOLDERS_IN) {
    if (obstacles.some(({ name }) => `${name}/` === folder)) continue;
    const add = (name: string): void => {
      if (isFolder(name.slice(folder.length))) names.push(name);
    };
    if (storage.listNames) for await (const batch of storage.listNames(folder, signal, leaveOut)) batch.forEach(add);
    else for await (const batch of storage.list(folder, signal, leaveOut)) batch.forEach(({ name }) => add(name));
  }
  return names;
}

/**
 * Moves aside what has the name of a folder and is none: nothing could be written below it. Returns the names.
 *
 * @throws HoldfastError `destination_missing` for a link that leads nowhere in the place of data, before anything is moved
 */
export async function moveObstacles(storage: Storage, signal?: AbortSignal): Promise<ReadonlyMap<string, Moved>> {
  const moved = new Map<string, Moved>();
  const obstacles = (await storage.obstacles?.(FOLDERS, signal)) ?? [];
  if (obstacles.some(({ name, isLink }) => isLink && DATA_FOLDERS.has(`${name}/`))) {
    throw new HoldfastError('destination_missing', { directory: storage.address });
  }
  const nested = (await nestedNames(storage, obstacles, signal)).map((name) => ({ name }));
  for (const { name } of [...obstacles, ...nested]) {
    // Files below the folder of that name have theirs in `damaged/`.
    const aside = `${name}/` === DAMAGED_FOLDER ? name : `${DAMAGED_FOLDER}${name}`;
    const asideOf = (number: number): string => `${aside}.other-${number}`;
    const outcome = await moveFile(storage, name, asideOf, signal);
    if (outcome === 'unsupported') {
      const first = await readIfReadable(storage, name, { offset: 0, length: 1 }, signal);
      moved.set(name, await copyAside(storage, { name, first, asideOf }, signal));
    } else moved.set(name, outcome);
  }
  return moved;
}

/** @param asideOf its name in `damaged/`, by the number of the attempt */
async function moveFile(
  storage: Storage,
  name: string,
  asideOf: (number: number) => string,
  signal?: AbortSignal,
): Promise<Exclude<Move, 'exists'>> {
  if (!storage.move) return 'unsupported';
  for (let number = 1; ; number += 1) {
    const outcome = await storage.move(name, asideOf(number), signal);
    if (outcome !== 'exists') return outcome;
  }
}

/** A file that is copied aside. */
interface CopiedFile {
  readonly name: string;
  /** Its first bytes, if it has any; `undefined` if there is no such file. */
  readonly first: Uint8Array | undefined;
  /** Its name in `damaged/`, by the number of the attempt. */
  readonly asideOf: (number: number) => string;
}

/** Where nothing is moved. A file of no bytes needs no copy. */
async function copyAside(storage: Storage, { name, first, asideOf }: CopiedFile, signal?: AbortSignal): Promise<Moved> {
  if (!first) return 'missing';
  if (first.length > 0 && !(await isCopiedAside(storage, name, asideOf, signal))) return 'kept';
  await storage.delete(name, signal);
  return 'moved';
}

async function isCopiedAside(
  storage: Storage,
  name: string,
  asideOf: (number: number) => string,
  signal?: AbortSignal,
): Promise<boolean> {
  const bytes = await readIfReadable(storage, name, { offset: 0, length: LARGEST_COPY_BYTES + 1 }, signal);
  if (!bytes || bytes.length > LARGEST_COPY_BYTES) return false;
  for (let number = 1; ; number += 1) {
    const copy = asideOf(number);
    await storage.put(copy, [bytes], signal);
    const written = await readIfReadable(storage, copy, { offset: 0, length: bytes.length + 1 }, signal);
    if (written && Buffer.compare(written, bytes) === 0) return true;
  }
}

function asideName(name: string, number: number): string {
  return `${DAMAGED_FOLDER}${name}${number === 1 ? '' : `-${number}`}`;
}
