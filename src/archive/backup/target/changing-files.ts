import { HoldfastError } from '../../../base/errors/errors.ts';
import type { EntryVersion } from '../../../catalog/entries/entry-record.ts';
import type { FileVersion, InsteadOf } from '../../../catalog/entries/snapshot.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { ChangedFile } from '../upload/upload-chunks.ts';

/**
 * Files that kept changing, or that can no longer be read, as one destination gets them: in their version in its newest
 * restore point, or not at all if it has none. Other destinations may have been sent what this one missed.
 */
export class ChangingFiles {
  readonly warnings: RunWarning[] = [];
  readonly #warned = new Set<string>();
  readonly #instead = new Map<number, Map<string, FileVersion | undefined>>();

  get instead(): InsteadOf {
    return this.#instead;
  }

  /**
   * Takes files back to an earlier version. Leaves those out whose very version was requested: neither the service nor the
   * disk has it any more, and it would be requested in every later session.
   *
   * @param isUnread whether the disk may have it, but did not give it out
   * @throws HoldfastError `source_unreadable` (`earlier-content`) for such files, which would look deleted
   */
  add(
    files: readonly ChangedFile[],
    versionOf: (file: ChangedFile) => EntryVersion | undefined,
    isUnread: (path: string) => boolean,
  ): void {
    const lost: string[] = [];
    for (const file of files) {
      const { directory, name, path } = file;
      const names = this.#instead.get(directory) ?? new Map<string, FileVersion | undefined>();
      this.#instead.set(directory, names);
      const version = names.has(name) ? undefined : fileVersion(versionOf(file));
      const earlier = version?.chunks.equals(file.chunks) ? undefined : version;
      names.set(name, earlier);
      if (earlier === undefined && isUnread(path)) lost.push(path);
      if (this.#warned.has(path)) continue;
      this.#warned.add(path);
      this.warnings.push({ path, reason: 'changed-while-reading' });
    }
    const [path] = lost.toSorted();
    if (path === undefined) return;
    throw new HoldfastError('source_unreadable', { path, problem: 'earlier-content', count: lost.length });
  }
}

/** A copy: the catalog's buffers are views of blocks that change. */
function fileVersion(version: EntryVersion | undefined): FileVersion | undefined {
  if (!version?.chunks) return undefined;
  return { stat: Buffer.from(version.stat), chunks: Buffer.from(version.chunks) };
}
