/** Returns the separator of a path of this computer. */
function separatorOf(path: string): '/' | '\\' {
  return /^[A-Za-z]:|^\\\\/.test(path) ? '\\' : '/';
}

/** Returns whether a path is inside of a folder, at any depth. */
export function isBelow(path: string, folder: string): boolean {
  const separator = separatorOf(folder);
  const start = folder.endsWith(separator) ? folder : folder + separator;
  return path.startsWith(start) && path.length > start.length;
}

/** Returns the path from a folder to something in it, with `/` between names; empty for the folder itself. */
export function relativeTo(path: string, folder: string): string {
  if (path === folder) return '';
  const separator = separatorOf(folder);
  const rest = path.slice(folder.endsWith(separator) ? folder.length : folder.length + 1);
  return separator === '\\' ? rest.replaceAll('\\', '/') : rest;
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
