import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  MARKER_FILE,
  OBJECTS_FOLDER,
  SMALL_BLOBS_FILE,
  TEMPORARY_FOLDER,
} from '../objects/folder/folder-object-store.ts';
import { syncDirectory } from '../disk/sync.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';
import { StoreError } from './store-error.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { METADATA_FILE } from './sqlite/sqlite-connection.ts';
import { NewerSchemaError } from './schema/schema.ts';
import { DAY } from '../../model/units.ts';

/** The layout of a store with its own metadata: metadata.sqlite, blobs.sqlite, objects/ with packs and files. */
const LAYOUT_VERSION = 1;

/** The layout of a store whose metadata is in PostgreSQL. */
const DATABASE_LAYOUT_VERSION = 2;

const marker = z.object({
  format: z.literal('holdfast-store'),
  version: z.int().positive(),
  /** Identifies the directory of a store with its own metadata. */
  place: z.string().optional(),
  beside: z.object({ database: z.string(), folder: z.string() }).optional(),
});

/** Identifies the database that a directory belongs to, and the directory itself. */
export type DatabaseMark = NonNullable<z.infer<typeof marker>['beside']>;

type Marker = z.infer<typeof marker>;

/** Begins the name of the file that `service check` writes. */
export const CHECK_FILE = '.holdfast-check-';

/** Entries that a directory may contain before it becomes a store: rests of an interrupted creation, and file-system entries. */
const HARMLESS = [
  CHECK_FILE,
  // The directory is often the home of the user that runs the service, and Node's compiled code is cached there.
  '.cache',
  OBJECTS_FOLDER,
  METADATA_FILE,
  SMALL_BLOBS_FILE,
  'lost+found',
  '.Trash-',
  '.DS_Store',
  '.Spotlight-V100',
  '.fseventsd',
  'System Volume Information',
  '$RECYCLE.BIN',
  `${MARKER_FILE}.new`,
];

/** Milliseconds after which incompletely received files are deleted. */
const ABANDONED_AFTER = DAY;

export interface StorePaths {
  readonly directory: string;
  readonly kind: StoreKind;
  readonly metadata: string;
  /** Holds files that are being received. */
  readonly incoming: string;
  /** True if the directory was no store yet. */
  readonly isNew: boolean;
}

/** `whole` with the metadata in the directory, `beside-database` with PostgreSQL. */
export type StoreKind = 'whole' | 'beside-database';

/**
 * Checks that a directory is a store that this version can open, or prepares it to become one. The marker is written last
 * (`finishStore`), so an interrupted creation can be repeated. A whole store is also accepted beside a database: the caller
 * checks that its metadata has moved there.
 *
 * @throws StoreError
 */
export async function openStoreDirectory(
  directory: string,
  create: boolean,
  kind: StoreKind = 'whole',
): Promise<StorePaths> {
  try {
    if (create) await makeDirectory(directory);
    const isNew = await checkStore(directory, create, kind);
    const incoming = join(directory, TEMPORARY_FOLDER);
    await makeDirectory(incoming);
    await removeAbandoned(incoming);
    return { directory, kind, metadata: join(directory, METADATA_FILE), incoming, isNew };
  } catch (error) {
    throw toStoreError(error, directory);
  }
}

/** Returns whether a directory is a store with its own metadata. */
export async function isWholeStore({ directory }: StorePaths): Promise<boolean> {
  return (await readMarker(directory))?.version === LAYOUT_VERSION;
}

/**
 * Marks a store as complete, with its kind; does nothing if it is marked already.
 *
 * @param database identifies the database that it belongs to
 */
export async function finishStore({ directory, kind, isNew }: StorePaths, database = ''): Promise<void> {
  try {
    const found = await readMarker(directory);
    // Its disk was unmounted: what is there now lies below the mount point.
    if (!found && !isNew) throw new StoreError('store_missing', directory);
    if (found && (kind === 'whole' || found.version === DATABASE_LAYOUT_VERSION)) return;
    const version = kind === 'whole' ? LAYOUT_VERSION : DATABASE_LAYOUT_VERSION;
    const folder = randomBytes(16).toString('hex');
    const mark = kind === 'whole' ? { place: folder } : { beside: { database, folder } };
    const path = join(directory, MARKER_FILE);
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ format: 'holdfast-store', version, ...mark } satisfies Marker)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    await syncDirectory(directory);
  } catch (error) {
    throw toStoreError(error, directory);
  }
}

/** Reads the mark that `finishStore` has written beside a database. */
export async function readDatabaseMark({ directory }: StorePaths): Promise<DatabaseMark> {
  const mark = (await readMarker(directory))?.beside;
  if (mark === undefined) throw new StoreError('store_damaged', directory);
  return mark;
}

/** Returns the identity of a store with its own metadata, which a copy of its metadata elsewhere does not have. */
export async function placeOfStore(directory: string): Promise<string> {
  return (await readMarker(directory))?.place ?? '';
}

/** Converts a failure to open or create a store to a `StoreError`; returns other errors unchanged. */
export function toStoreError(error: unknown, directory: string): unknown {
  if (error instanceof StoreError) return error;
  if (error instanceof NewerSchemaError) return new StoreError('store_newer', directory, error);
  const disk = diskFailureOf(error);
  if (disk === 'full') return new StoreError('insufficient_storage', directory, error);
  if (disk === 'unwritable') return new StoreError('store_unwritable', directory, error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return new StoreError('store_missing', directory, error);
  if (code === 'ENOTDIR' || code === 'EEXIST') return new StoreError('store_unrecognised', directory, error);
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return new StoreError('store_damaged', directory, error);
  return error;
}

function foreignIn(entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => !HARMLESS.some((harmless) => entry.startsWith(harmless)));
}

/** Returns true if the directory is about to become a store. */
async function checkStore(directory: string, create: boolean, kind: StoreKind): Promise<boolean> {
  const found = await readMarker(directory);
  if (found !== undefined) {
    if (found.version > DATABASE_LAYOUT_VERSION) throw new StoreError('store_newer', directory);
    if (found.version === DATABASE_LAYOUT_VERSION && kind === 'whole') {
      throw new StoreError('store_unrecognised', directory);
    }
    // SQLite would make a new database of an empty file, in which no device is known.
    const isDamaged = kind === 'whole' && (await bytesOf(join(directory, METADATA_FILE))) === 0;
    if (isDamaged || (await bytesOf(join(directory, SMALL_BLOBS_FILE), 1)) === 0) {
      throw new StoreError('store_damaged', directory);
    }
    return false;
  }
  const foreign = foreignIn(await readdir(directory));
  if (!create || foreign.length > 0) throw new StoreError('store_unrecognised', directory);
  return true;
}

async function readMarker(directory: string): Promise<Marker | undefined> {
  let text: string;
  try {
    text = await readFile(join(directory, MARKER_FILE), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const parsed = marker.safeParse(parseJson(text));
  if (!parsed.success) throw new StoreError('store_damaged', directory);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param missing the size of a file that is missing */
async function bytesOf(path: string, missing = 0): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => missing,
  );
}

async function removeAbandoned(incoming: string): Promise<void> {
  const before = Date.now() - ABANDONED_AFTER;
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < before) await unlink(path).catch(() => undefined);
  }
}
