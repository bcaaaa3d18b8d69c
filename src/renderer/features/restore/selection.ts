import type { BrowsedEntry } from '../../../ipc/restore.ts';

/** What is chosen to be restored, by entry path; a folder stands for all that it holds. */
export type Selection = ReadonlyMap<string, BrowsedEntry>;

export type Chosen = 'chosen' | 'with-folder' | 'partly' | 'not';

/** `with-folder`: a folder above it is chosen. `partly`: something inside it is. */
export function chosenAs(selection: Selection, path: string): Chosen {
  if (selection.has(path)) return 'chosen';
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (selection.has(path.slice(0, end))) return 'with-folder';
  }
  for (const other of selection.keys()) if (other.startsWith(`${path}/`)) return 'partly';
  return 'not';
}

/** A folder that is chosen takes the place of what is chosen inside it. */
export function withEntry(selection: Selection, entry: BrowsedEntry): Selection {
  const kept = [...selection].filter(([path]) => !path.startsWith(`${entry.path}/`));
  return new Map([...kept, [entry.path, entry]]);
}

export function withoutEntry(selection: Selection, path: string): Selection {
  return new Map([...selection].filter(([other]) => other !== path));
}

export interface SelectionCount {
  readonly folders: number;
  readonly files: number;
  /** Of the chosen files; what folders hold is counted by the plan. */
  readonly bytes: number;
}

export function countOf(selection: Selection): SelectionCount {
  let [folders, files, bytes] = [0, 0, 0];
  for (const { type, size } of selection.values()) {
    if (type === 'directory') folders += 1;
    else {
      files += 1;
      bytes += size;
    }
  }
  return { folders, files, bytes };
}
