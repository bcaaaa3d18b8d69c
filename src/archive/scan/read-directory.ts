import { readdirSync } from 'node:fs';
import { fileSystemPath, mayNeedEscape, segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';

/** Lists a folder as entry path segments, in manifest order. Throws system errors. */
export function readDirectorySync(entryPath: string): string[] {
  const path = fileSystemPath(entryPath);
  let names = readdirSync(path);
  if (names.some(mayNeedEscape)) names = readdirSync(path, { encoding: 'buffer' }).map(segmentOfBytes);
  return sortNames(names);
}

/** Sorts by UTF-8 bytes. UTF-16 order differs only between surrogates and U+E000–U+FFFF. */
export function sortNames(names: string[]): string[] {
  names.sort();
  return names.some(hasSurrogate) ? names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) : names;
}

function hasSurrogate(name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const unit = name.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xe000) return true;
  }
  return false;
}
