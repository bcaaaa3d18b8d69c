import { FILE, type KnownEntry } from '../../catalog/entries/entry.ts';
import { fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { onlineFileSystem } from '../../os/filesystem/online/online-files.ts';
import { unpackStat } from '../../os/filesystem/stat-record.ts';
import { sortNames } from './read-directory.ts';

/** Tells which entries a scan leaves out since only a cloud drive has their content. */
export class OnlineOnly {
  readonly #fetches: boolean;

  constructor(fetches: boolean) {
    this.#fetches = fetches;
  }

  /** @param path entry path */
  hasFile(path: string): boolean {
    return !this.#fetches && isOnline(path, 'isFileOnline');
  }

  hasFolder(path: string): boolean {
    return !this.#fetches && isOnline(path, 'isFolderOnline');
  }

  /**
   * Returns the reason of the warning; `undefined` for a file whose last version has its size and time: it was stored before the
   * drive removed the content.
   *
   * @param stat packed, if the placeholder has the file's own
   */
  reasonOf(known: KnownEntry | undefined, stat: Buffer | undefined): string | undefined {
    if (known?.kind !== FILE) return 'online-only';
    if (!stat) return 'online-only-kept';
    const [before, now] = [unpackStat(known.stat), unpackStat(stat)];
    return before.size === now.size && before.mtimeNs === now.mtimeNs ? undefined : 'online-only-kept';
  }
}

/** The names of a folder, with those of files in place of their placeholders. */
export function namesBehind(
  folder: string,
  names: string[],
): { readonly names: string[]; readonly online?: ReadonlySet<string> } {
  const system = onlineFileSystem();
  if (!system) return { names };
  const all = new Set(names);
  const online = new Set<string>();
  const here = names.filter((name) => {
    const behind = system.nameBehind(name);
    // A file that is here has no placeholder: what has the name of one is a file of its own.
    if (behind === undefined || all.has(behind) || !system.isPlaceholder(ownPath(`${folder}/${name}`))) return true;
    online.add(behind);
    return false;
  });
  return online.size === 0 ? { names } : { names: sortNames([...here, ...online]), online };
}

function isOnline(path: string, check: 'isFileOnline' | 'isFolderOnline'): boolean {
  return onlineFileSystem()?.[check](ownPath(path)) ?? false;
}

/** As the operating system takes it. */
function ownPath(path: string): string {
  const own = fileSystemPath(path);
  return typeof own === 'string' ? own : own.toString();
}
