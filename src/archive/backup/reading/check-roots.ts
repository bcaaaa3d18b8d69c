import { isReservedPath } from '../../../protocol/path.ts';
import { isWithin } from '../../../model/entry-path.ts';
import { HoldfastError, isHoldfastError, type ErrorCode } from '../../../base/errors/errors.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { CatalogEntries, KnownRoot, SetRun } from '../../../catalog/entries/entries.ts';
import { entryPathGiven, entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { KnownContent } from '../../scan/known-content.ts';
import { Exclusion } from '../../scan/exclusion.ts';
import { Places } from '../../scan/places.ts';
import { RemainingFiles } from '../../scan/remaining-files.ts';
import { checkRoot, realSourceOf, type KnownSource, type RootState } from '../../scan/source-check.ts';
import type { BackupRequest } from '../types.ts';

/** A source that is not there. What it contained at the newest restore point stays in the next one. */
export interface AbsentRoot {
  readonly path: string;
  /** Where it led at the newest restore point; `undefined` if it has never been backed up. */
  readonly known: KnownRoot | undefined;
  readonly error: HoldfastError;
  readonly reason: string;
  /** `undefined` if the set allows that it is absent. */
  readonly warning: RunWarning | undefined;
}

export interface CheckedRoots {
  readonly present: readonly RootState[];
  readonly absent: readonly AbsentRoot[];
  /** The sources that lead elsewhere than at the newest restore point. */
  readonly redirected: readonly RunWarning[];
  /** Returns whether a person has accepted the present content of an entry path as complete. */
  readonly accepts: (path: string) => boolean;
  readonly places: Places;
  readonly remaining: RemainingFiles;
}

/** What a run does without, and the reason of the warning. */
const REASONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  source_missing: 'folder-missing',
  source_unreadable: 'folder-unreadable',
  source_not_mounted: 'folder-not-mounted',
  source_empty: 'folder-empty',
};

/**
 * Returns the sources' current states. A set that was backed up before does without some of them, and a first backup without those that may
 * be absent; none does without all.
 *
 * @throws HoldfastError `source_*`
 */
export function checkRoots(request: BackupRequest, { entries }: Pick<Catalog, 'entries'>): CheckedRoots {
  const { set, allowEmpty = false, accepted = [] } = request;
  const known = entries.findSet(set.name);
  const before = known && entries.knownRoots(known.setId);
  const optional = new Set(set.optionalRoots?.map(entryPathGiven));
  const present: RootState[] = [];
  const absent: AbsentRoot[] = [];
  const followed = followedRoots(set.roots.map(entryPathOf));
  const real = new Map([...followed].flatMap(([path, place]) => (typeof place === 'string' ? [[path, place]] : [])));
  const places = new Places(real);
  const remaining = new RemainingFiles(exclusionOf(request), set);
  const isAccepted = (path: string): boolean => allowEmpty || accepted.some((folder) => isWithin(path, folder));
  for (const [path, place] of followed) {
    try {
      if (typeof place !== 'string') throw place;
      const accepts = isAccepted(path);
      const source = known && knownSource(entries, known, path, remaining);
      present.push(checkRoot({ path, real: place }, source, { places, accepts }));
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      const reason = REASONS[error.code];
      if (reason === undefined) throw error;
      const warning = optional.has(path) ? undefined : { path, reason };
      absent.push({ path, known: before?.get(path), error, reason, warning });
    }
  }
  // Without a restore point that the catalog knows, nothing says what the sources contained.
  const isFirst = before === undefined || before.size === 0;
  const refused = absent.find(({ warning }) => present.length === 0 || (isFirst && warning));
  if (refused) throw refused.error;
  const redirected = present.filter((root) => (before?.get(root.path)?.real ?? root.real) !== root.real);
  return {
    present,
    absent,
    redirected: redirected.map(({ path }) => ({ path, reason: 'leads-elsewhere' })),
    // Whoever points a link to another folder has said that the source is that one now.
    accepts: (path) => isAccepted(path) || redirected.some((root) => isWithin(path, root.path)),
    places,
    remaining,
  };
}

/** Returns the rules of a set, which have left out nothing yet. */
export function exclusionOf({ set, ownFolders = [] }: Pick<BackupRequest, 'set' | 'ownFolders'>): Exclusion {
  return new Exclusion(set.excludes, set.presets, ownFolders);
}

/** Returns where each root leads, or why that is not known. */
function followedRoots(roots: readonly string[]): ReadonlyMap<string, string | HoldfastError> {
  return new Map(
    roots.map((path): [string, string | HoldfastError] => {
      if (isReservedPath(path)) throw new HoldfastError('source_unreadable', { path, problem: 'reserved-path' });
      try {
        return [path, realSourceOf(path)];
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        return [path, error];
      }
    }),
  );
}

function knownSource(
  entries: CatalogEntries,
  { rootsDirectory }: SetRun,
  path: string,
  remaining: RemainingFiles,
): KnownSource | undefined {
  const entry = entries.find(rootsDirectory, path);
  if (!entry) return undefined;
  const content = new KnownContent((directory) => entries.eachChild(directory!));
  const folder = { path, scope: remaining.rootScope(path) };
  return { entry, content, hasLostFiles: (place) => remaining.areLost(folder, entry, place, content) };
}
