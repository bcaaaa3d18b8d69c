import { HoldfastError } from '../../../base/errors/errors.ts';
import type { EntryVersion } from '../../../catalog/entries/entry-record.ts';
import type { FileVersion, InsteadOf } from '../../../catalog/entries/snapshot.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { NOT_STORED } from '../../../read/source/not-stored.ts';
import type { ChangedFile } from '../upload/upload-chunks.ts';

/** What is known of files that a destination has to do without. */
export interface ChangingFilesParts {
  /** A file's version in the destination's newest restore point; `undefined` if that has none, or if it is not known. */
  readonly versionOf: (file: ChangedFile) => EntryVersion | undefined;
  /** Whether `versionOf` knows the destination's newest restore point, or knows that there is none. */
  readonly isNewestKnown: boolean;
  /** What could not be read of the disk, which may have the file: itself, or a folder that it is in. `undefined` if the disk gave it out. */
  readonly unread: (path: string) => string | undefined;
}

/**
 * Files that kept changing, or that can no longer be read, as one destination gets them: in their version in its newest
 * restore point, or not at all if it has none. Other destinations may have been sent what this one missed.
 */
export class ChangingFiles {
  readonly #warnings = new Map<string, RunWarning>();
  readonly #instead = new Map<number, Map<string, FileVersion | undefined>>();

  get instead(): InsteadOf {
    return this.#instead;
  }

  get warnings(): readonly RunWarning[] {
    return [...this.#warnings.values()];
  }

  /**
   * Takes files back to an earlier version. Leaves those out whose very version was requested: neither the service nor the
   * disk has it any more, and it would be requested in every later session.
   *
   * @throws HoldfastError `source_unreadable` (`earlier-content`) for files that the disk did not give out and that the destination's newest
   *   restore point may have: they would look deleted
   */
  add(files: readonly ChangedFile[], { versionOf, isNewestKnown, unread }: ChangingFilesParts): void {
    const lost: string[] = [];
    for (const file of files) {
      const { directory, name, path } = file;
      const names = this.#instead.get(directory) ?? new Map<string, FileVersion | undefined>();
      this.#instead.set(directory, names);
      const isTakenBack = names.has(name);
      const version = isTakenBack ? undefined : fileVersion(versionOf(file));
      const earlier = version?.chunks.equals(file.chunks) ? undefined : version;
      names.set(name, earlier);
      const withheld = earlier === undefined ? unread(path) : undefined;
      if (withheld === undefined) this.#warn(path, 'changed-while-reading');
      else if (isNewestKnown && !isTakenBack && version === undefined) this.#warn(withheld, NOT_STORED);
      else lost.push(path);
    }
    const [path] = lost.toSorted();
    if (path === undefined) return;
    throw new HoldfastError('source_unreadable', { path, problem: 'earlier-content', count: lost.length });
  }

  #warn(path: string, reason: string): void {
    if (!this.#warnings.has(path)) this.#warnings.set(path, { path, reason });
  }
}

/** A copy: the catalog's buffers are views of blocks that change. */
function fileVersion(version: EntryVersion | undefined): FileVersion | undefined {
  if (!version?.chunks) return undefined;
  return { stat: Buffer.from(version.stat), chunks: Buffer.from(version.chunks) };
}
