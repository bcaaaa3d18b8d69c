import type { StoredFile } from './storage.ts';
import { unreadableProblem, type OnUnreadable } from './unreadable.ts';

/** Folders that are listed at once. */
const PARALLEL_FOLDERS = 16;

/** What one folder holds. */
export interface FolderListing {
  readonly files: readonly StoredFile[];
  /** Prefixes of the folders in it, each with a slash at the end. */
  readonly folders: readonly string[];
}

/** Yields the files below a prefix of a store that lists one folder at a time. */
export async function* listFolders(
  prefix: string,
  listFolder: (folder: string) => Promise<FolderListing>,
  onUnreadable?: OnUnreadable,
): AsyncGenerator<readonly StoredFile[]> {
  const listOne = async (folder: string): Promise<FolderListing> => {
    try {
      return await listFolder(folder);
    } catch (error) {
      const problem = unreadableProblem(error);
      if (!onUnreadable || problem === undefined) throw error;
      onUnreadable(folder.slice(0, -1), problem, error);
      return { files: [], folders: [] };
    }
  };
  let folders: readonly string[] = [prefix];
  while (folders.length > 0) {
    const listings = await Promise.all(folders.slice(0, PARALLEL_FOLDERS).map(listOne));
    folders = [...listings.flatMap((listing) => listing.folders), ...folders.slice(PARALLEL_FOLDERS)];
    yield listings.flatMap((listing) => listing.files);
  }
}
