import { comparePaths, isWithin, withoutTrailingSlash } from '../../model/entry-path.ts';
import type { ListedPiece } from './record.ts';

/** Index of the last piece that begins at or before a path; -1 if all begin after it. */
export function pieceAt(pieces: readonly Pick<ListedPiece, 'firstPath'>[], path: string): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePaths(pieces[middle]!.firstPath, path) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Indexes of the pieces that can contain a path or anything below it, in order; none if the path precedes all pieces.
 */
export function* piecesWithin(pieces: readonly Pick<ListedPiece, 'firstPath'>[], path: string): Generator<number> {
  let index = Math.max(0, pieceAt(pieces, path));
  for (; index < pieces.length; index += 1) {
    const { firstPath } = pieces[index]!;
    if (comparePaths(firstPath, path) > 0 && !isWithin(firstPath, path)) return;
    yield index;
  }
}

/**
 * Indexes of the pieces that can contain a folder or its direct entries, or if it is above the roots, those roots: without
 * the pieces that lie inside one of these.
 */
export function* piecesOfFolder(
  pieces: readonly Pick<ListedPiece, 'firstPath'>[],
  folder: string,
  roots: readonly string[],
): Generator<number> {
  const isBelowRoot = roots.some((root) => isWithin(folder, root));
  for (const index of piecesWithin(pieces, folder)) {
    const { firstPath } = pieces[index]!;
    const entry = isBelowRoot ? directEntry(firstPath, folder) : roots.find((root) => isWithin(firstPath, root));
    const next = pieces[index + 1]?.firstPath;
    const isInside = entry !== undefined && firstPath !== entry && next !== undefined && isWithin(next, entry);
    if (!isInside) yield index;
  }
}

/** The entry of a folder that contains a path. */
function directEntry(path: string, folder: string): string | undefined {
  if (!isWithin(path, folder) || path === folder) return undefined;
  const end = path.indexOf('/', withoutTrailingSlash(folder).length + 1);
  return end === -1 ? path : path.slice(0, end);
}
