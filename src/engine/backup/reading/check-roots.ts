import { isReservedPath } from '../../../protocol/path.ts';
import { HoldfastError, isHoldfastError, type ErrorCode } from '../../../base/errors/errors.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { KnownRoot } from '../../catalog/entries/entries.ts';
import { entryPathOf } from '../../filesystem/names/entry-path.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import { checkRoot, type RootState } from '../../scan/source-check.ts';
import type { BackupRequest } from '../types.ts';

/** A source that is not there. What it contained at the newest restore point stays in the next one. */
export interface AbsentRoot {
  readonly path: string;
  /** Its state at the newest restore point; `undefined` if it has never been backed up. */
  readonly known: KnownRoot | undefined;
  readonly error: HoldfastError;
  readonly reason: string;
  /** `undefined` if the set allows that it is absent. */
  readonly warning: RunWarning | undefined;
}

export interface CheckedRoots {
  readonly present: readonly RootState[];
  readonly absent: readonly AbsentRoot[];
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
export function checkRoots(
  { set, allowEmpty = false }: BackupRequest,
  { entries }: Pick<Catalog, 'entries'>,
): CheckedRoots {
  const known = entries.findSet(set.name);
  const before = known && entries.knownRoots(known.setId);
  const optional = new Set(set.optionalRoots?.map(entryPathOf));
  const present: RootState[] = [];
  const absent: AbsentRoot[] = [];
  for (const path of set.roots.map(entryPathOf)) {
    if (isReservedPath(path)) throw new HoldfastError('source_unreadable', { path, problem: 'reserved-path' });
    try {
      present.push(checkRoot(path, before?.get(path), allowEmpty));
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
  return { present, absent };
}

/** Returns the absent source that contains a path. */
export function absentRootOf(path: string, absent: readonly AbsentRoot[]): AbsentRoot | undefined {
  return absent.find((root) => path === root.path || path.startsWith(`${root.path}/`));
}
