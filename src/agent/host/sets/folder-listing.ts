import { constants } from 'node:fs';
import { access, lstat, opendir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import pLimit from 'p-limit';
import { HoldfastError, systemCodeOf } from '../../../base/errors/errors.ts';
import { entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import { PresetRules } from '../../../archive/scan/presets/preset-rules.ts';
import { isPresetName, PRESETS } from '../../../archive/scan/presets/presets.ts';
import type { LocalEntry } from '../../../ipc/contract/sets.ts';
import { userHome } from '../../../base/files/user-home.ts';

/** Entries returned for one folder. */
const MAX_SHOWN = 5_000;
/** Names that are read of a folder, to find the first by name. */
const MAX_READ = 100_000;
/** Bounds the file system calls in flight. */
const limit = pLimit(32);

const NAMES = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

export interface FolderListing {
  readonly entries: LocalEntry[];
  readonly isTruncated: boolean;
}

type Found = Pick<LocalEntry, 'path' | 'name' | 'kind'>;

/** Returns the presets that leave out an entry of the listed folder. */
type PresetsOf = (entry: Found) => readonly string[];

/** Returns the home folder and the file system roots. */
export async function listRoots(): Promise<FolderListing> {
  const home = userHome();
  const roots = process.platform === 'win32' ? await drives() : ['/'];
  const found = [...(home === undefined ? [] : [home]), ...roots].map((path): Found => ({
    path,
    name: basename(path) || path,
    kind: 'folder',
  }));
  return { entries: await limit.map(found, (entry) => inspect(entry, () => [])), isTruncated: false };
}

/**
 * Returns the entries of a folder: folders first, each kind by name. Does not follow links.
 *
 * @throws HoldfastError `source_missing`, `source_unreadable`
 */
export async function listFolder(path: string): Promise<FolderListing> {
  const folder = resolve(path);
  try {
    const { found, isWhole } = await read(folder);
    found.sort((a, b) => Number(a.kind !== 'folder') - Number(b.kind !== 'folder') || NAMES.compare(a.name, b.name));
    const shown = found.slice(0, MAX_SHOWN);
    const presetsOf = presetsIn(folder);
    return {
      entries: await limit.map(shown, (entry) => inspect(entry, presetsOf)),
      isTruncated: !isWhole || shown.length < found.length,
    };
  } catch (error) {
    const problem = systemCodeOf(error);
    if (problem === undefined) throw error;
    const code = problem === 'ENOENT' ? 'source_missing' : 'source_unreadable';
    throw new HoldfastError(code, { path: folder, problem }, { cause: error });
  }
}

async function read(folder: string): Promise<{ found: Found[]; isWhole: boolean }> {
  const found: Found[] = [];
  for await (const entry of await opendir(folder, { bufferSize: 1024 })) {
    if (found.length === MAX_READ) return { found, isWhole: false };
    const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
    found.push({ path: join(folder, entry.name), name: entry.name, kind });
  }
  return { found, isWhole: true };
}

/** Returns the presets that leave out a folder, or a folder above it. */
export function leftOutAlong(path: string): { path: string; presets: string[] }[] {
  const folders: { path: string; presets: string[] }[] = [];
  for (let folder = resolve(path); dirname(folder) !== folder; folder = dirname(folder)) {
    const presets = presetsIn(dirname(folder))({ path: folder, name: basename(folder), kind: 'folder' });
    if (presets.length > 0) folders.push({ path: folder, presets: [...presets] });
  }
  return folders;
}

/** What is inside of a folder that is left out is not said to be: whoever shows it knows the folder. */
function presetsIn(folder: string): PresetsOf {
  const entryPath = entryPathOf(folder);
  const known = Object.keys(PRESETS)
    .filter(isPresetName)
    .map((name) => {
      const rules = new PresetRules([name]);
      const scope = rules.enter(rules.above(entryPath), entryPath, {
        isSource: true,
        isChosen: () => true,
        has: () => false,
      });
      return { name, rules, scope };
    });
  return ({ path, kind }) => {
    const [entry, isFolder] = [entryPathOf(path), kind === 'folder'];
    return known
      .filter(
        ({ rules, scope }) => rules.excludes(scope, entry, isFolder) || (isFolder && rules.leavesOutContents(entry)),
      )
      .map(({ name }) => name);
  };
}

async function inspect({ path, name, kind }: Found, presetsOf: PresetsOf): Promise<LocalEntry> {
  const [bytes, isReadable] = await Promise.all([
    kind === 'file' ? sizeOf(path) : undefined,
    kind === 'other' ? false : isAllowed(path, kind === 'folder' ? constants.R_OK | constants.X_OK : constants.R_OK),
  ]);
  const presets = presetsOf({ path, name, kind });
  return {
    path,
    name,
    kind,
    isHidden: name.startsWith('.'),
    isReadable,
    ...(bytes === undefined ? {} : { bytes }),
    ...(presets.length === 0 ? {} : { presets: [...presets] }),
  };
}

async function sizeOf(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

async function isAllowed(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

async function drives(): Promise<readonly string[]> {
  const letters = Array.from({ length: 26 }, (_value, index) => `${String.fromCharCode(65 + index)}:\\`);
  const there = await Promise.all(letters.map((drive) => isAllowed(drive, constants.F_OK)));
  return letters.filter((_drive, index) => there[index]);
}
