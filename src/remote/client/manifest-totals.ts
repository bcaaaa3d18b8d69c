import type { RestoreFileEntry } from '../../protocol/restore.ts';
import type { ManifestAnswer } from './answers.ts';

/** A total of a restore manifest. */
export type ManifestTotal = 'total_files' | 'total_chunks' | 'unique_chunks' | 'total_bytes';

/**
 * Counts the files of a restore manifest. Unique chunks are not counted, since that takes memory for each; their number is only compared with
 * that of all chunks.
 */
export class ManifestTotals {
  #files = 0;
  #malformed = 0;
  #chunks = 0;
  #bytes = 0;

  /** @param malformed number of elements that are not file entries */
  add(files: readonly RestoreFileEntry[], malformed: number): void {
    this.#files += files.length;
    this.#malformed += malformed;
    for (const file of files) {
      this.#chunks += file.chunks.length;
      this.#bytes += file.size;
    }
  }

  /** Returns the first of the service's totals that does not match; `undefined` if all do that it gave. */
  differing({
    total_files: files = this.#files,
    total_chunks: chunks = this.#chunks,
    total_bytes: bytes = this.#bytes,
    unique_chunks: unique,
  }: ManifestAnswer): ManifestTotal | undefined {
    // The service may count malformed elements. Their chunks and bytes are not known.
    const isCounted = files >= this.#files && files <= this.#files + this.#malformed;
    if (!isCounted) return 'total_files';
    if (this.#malformed > 0) return undefined;
    if (chunks !== this.#chunks) return 'total_chunks';
    if (bytes !== this.#bytes) return 'total_bytes';
    const isPossible = unique === undefined || (unique <= chunks && (unique === 0) === (chunks === 0));
    return isPossible ? undefined : 'unique_chunks';
  }
}
