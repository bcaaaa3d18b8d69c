// Absolute paths of this computer, whose form says which system's they are. Links and the spelling on disk are resolved before
// (os/filesystem/real-path.ts). Paths in restore points are in entry-path.ts.

/** Returns whether a path is a folder, or something in it at any depth. Windows finds names in any case. */
export function isInside(path: string, folder: string): boolean {
  return namesBelow(path, folder) !== undefined;
}

/** Returns whether a path is something in a folder, at any depth. */
export function isBelow(path: string, folder: string): boolean {
  return (namesBelow(path, folder)?.length ?? 0) > 0;
}

/** Returns the path from a folder to something in it, with `/` between names; empty for the folder itself. */
export function relativeTo(path: string, folder: string): string {
  const names = namesBelow(path, folder);
  if (!names) throw new Error('the path is not in the folder');
  return names.join('/');
}

/** Returns the folder that many levels above a path. */
export function above(path: string, levels: number): string {
  const separator = separatorOf(path);
  const names = path.split(separator);
  return names.slice(0, names.length - levels).join(separator);
}

/** Returns the last name of a path; `/` for the root. */
export function nameOf(path: string): string {
  const name = path
    .replace(/[/\\]+$/, '')
    .split(separatorOf(path))
    .at(-1);
  return name === undefined || name === '' ? path : name;
}

const WINDOWS = /^[A-Za-z]:|^\\\\/;

function separatorOf(path: string): '/' | '\\' {
  return WINDOWS.test(path) ? '\\' : '/';
}

/** Returns the names that lead from a folder to a path in it; `undefined` for other paths. */
function namesBelow(path: string, folder: string): readonly string[] | undefined {
  const isWindows = WINDOWS.test(folder);
  if (WINDOWS.test(path) !== isWindows) return undefined;
  const inner = namesOf(path, isWindows);
  const outer = namesOf(folder, isWindows);
  const isSame = (name: string, index: number): boolean =>
    isWindows ? name.toLowerCase() === inner[index]?.toLowerCase() : name === inner[index];
  return outer.every(isSame) ? inner.slice(outer.length) : undefined;
}

/** Returns the names of a path without `.` and `..`, the drive or the two names of a share first. */
function namesOf(path: string, isWindows: boolean): readonly string[] {
  const root = isWindows ? (path.startsWith('\\\\') ? 2 : 1) : 0;
  const names: string[] = [];
  for (const name of path.split(isWindows ? /[/\\]/ : '/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.length > root) names.pop();
  }
  return names;
}
