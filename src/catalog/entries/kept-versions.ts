import type { EntryVersion, PackedEntry } from './entry-record.ts';

/**
 * Returns the versions of an entry that have to be kept when it is written: those that a retained revision has. Oldest
 * first.
 *
 * @param retained ascending
 */
export function keptVersions(before: PackedEntry | undefined, retained: readonly number[]): readonly EntryVersion[] {
  if (!before || retained.length === 0) return [];
  const kept: EntryVersion[] = [];
  for (const revision of retained) {
    const version = versionIn(before, revision);
    // What was no file matters only if it hides an older version.
    if (version && version.revision !== kept.at(-1)?.revision && (version.chunks || kept.length > 0))
      kept.push(version);
  }
  return kept;
}

/** Returns the version of an entry in a revision; `undefined` if it did not exist, or if that version is not kept. */
export function versionIn(entry: PackedEntry, revision: number): EntryVersion | undefined {
  return entry.revision <= revision ? entry : entry.kept.findLast((version) => version.revision <= revision);
}
