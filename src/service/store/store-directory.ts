import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OBJECTS_FOLDER, SMALL_BLOBS_FILE, TEMPORARY_FOLDER } from '../objects/folder/folder-object-store.ts';
import { syncDirectory } from '../disk/sync.ts';
import { diskFailureOf, StoreError } from '../problem.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import { METADATA_FILE } from './database/sqlite-connection.ts';
import { NewerSchemaError } from './schema/migrate-sqlite.ts';

/** Says that a folder is a store, and in which layout. */
const MARKER_FILE = 'holdfast-store.json';

/** The layout that this version writes: metadata.sqlite, blobs.sqlite, objects/ with packs and files. */
const LAYOUT_VERSION = 1;

/** … and where the metadata is in PostgreSQL. */
const DATABASE_LAYOUT_VERSION = 2;

const marker = z.object({
  format: z.literal('holdfast-store'),
  version: z.int().positive(),
  beside: z.object({ database: z.string(), folder: z.string() }).optional(),
});

/** Says which database a folder belongs to, and which folder it is. */
export type DatabaseMark = NonNullable<z.infer<typeof marker>['beside']>;

type Marker = z.infer<typeof marker>;

/** What may lie in a folder that becomes a store: what an interrupted creation leaves, and what file systems put there. */
const HARMLESS = [
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

/** Files that nobody finished receiving are removed after so many milliseconds. */
const ABANDONED_AFTER = 24 * 3_600_000;

export interface StorePaths {
  readonly directory: string;
  readonly kind: StoreKind;
  readonly metadata: string;
  /** For files without a name yet. */
  readonly incoming: string;
}

/** Whether the metadata is in the folder or in PostgreSQL. */
export type StoreKind = 'whole' | 'beside-database';

/**
 * Checks that a folder is a store that this version can open, or prepares it to become one. The marker is written last
 * (`finishStore`), so an interrupted creation can be repeated. Beside a database a whole store is taken too: whether its
 * metadata has moved there is up to the caller.
 */
export async function openStoreDirectory(
  directory: string,
  create: boolean,
  kind: StoreKind = 'whole',
): Promise<StorePaths> {
  try {
    if (create) await makeDirectory(directory);
    await checkStore(directory, create, kind);
    const incoming = join(directory, TEMPORARY_FOLDER);
    await makeDirectory(incoming);
    await removeAbandoned(incoming);
    return { directory, kind, metadata: join(directory, METADATA_FILE), incoming };
  } catch (error) {
    throw toStoreError(error, directory);
  }
}

/** Whether a folder is a store with its own metadata. */
export async function isWholeStore({ directory }: StorePaths): Promise<boolean> {
  return (await readMarker(directory))?.version === LAYOUT_VERSION;
}

/**
 * Marks a store as complete, and of its kind; does nothing where it is marked so.
 *
 * @param database a name of the database that it stands beside
 */
export async function finishStore({ directory, kind }: StorePaths, database = ''): Promise<void> {
  try {
    const found = await readMarker(directory);
    if (found && (kind === 'whole' || found.version === DATABASE_LAYOUT_VERSION)) return;
    const version = kind === 'whole' ? LAYOUT_VERSION : DATABASE_LAYOUT_VERSION;
    const folder = randomBytes(16).toString('hex');
    const mark = kind === 'whole' ? {} : { beside: { database, folder } };
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

/** The mark of a folder beside a database, which `finishStore` has made. */
export async function readDatabaseMark({ directory }: StorePaths): Promise<DatabaseMark> {
  const mark = (await readMarker(directory))?.beside;
  if (mark === undefined) throw new StoreError('store_damaged', directory);
  return mark;
}

/** Says what a failure to open or make a store means to the person who chose the folder. */
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

/** What a folder is to somebody who wants to store there; nothing about it changes. */
export type FolderUse = 'missing' | 'free' | 'store' | 'occupied';

/** Whether a folder is a store as far as one look tells; a disk that is away or does not answer has none. */
export function isStoreThere(directory: string): boolean {
  return existsSync(join(directory, MARKER_FILE));
}

/** Throws system errors where the folder cannot be looked into, ENOTDIR for what is none. */
export async function lookAtFolder(directory: string): Promise<FolderUse> {
  try {
    if ((await readMarker(directory)) !== undefined) return 'store';
    return foreignIn(await readdir(directory)).length > 0 ? 'occupied' : 'free';
  } catch (error) {
    if (error instanceof StoreError) return 'store';
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing';
    throw error;
  }
}

function foreignIn(entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => !HARMLESS.some((harmless) => entry.startsWith(harmless)));
}

async function checkStore(directory: string, create: boolean, kind: StoreKind): Promise<void> {
  const found = await readMarker(directory);
  if (found !== undefined) {
    if (found.version > DATABASE_LAYOUT_VERSION) throw new StoreError('store_newer', directory);
    if (found.version === DATABASE_LAYOUT_VERSION && kind === 'whole') {
      throw new StoreError('store_unrecognised', directory);
    }
    if (kind === 'whole' && !(await exists(join(directory, METADATA_FILE))))
      throw new StoreError('store_damaged', directory);
    return;
  }
  const foreign = foreignIn(await readdir(directory));
  if (!create || foreign.length > 0) throw new StoreError('store_unrecognised', directory);
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

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
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
