import type { RestoreFileEntry, RestoreManifestHead } from '../../../protocol/restore.ts';
import { brokenResponse } from './responses.ts';

/**
 * Counts the files of a restore manifest, to detect a truncated one. Unique chunks are not counted, since that takes memory
 * for each; their number is only compared with that of all chunks.
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

  /** @throws HoldfastError `service_broken` with the first total that does not match */
  compare(head: RestoreManifestHead, address: string): void {
    const { total_files: claimed } = head;
    // The service may count malformed elements. Their chunks and bytes are not known.
    const isComplete = claimed >= this.#files && claimed <= this.#files + this.#malformed;
    if (!isComplete) throw brokenResponse(address, { field: 'total_files', claimed, arrived: this.#files });
    if (this.#malformed > 0) return;
    const expected = { total_chunks: this.#chunks, total_bytes: this.#bytes } as const;
    for (const [field, arrived] of Object.entries(expected)) {
      const total = head[field as keyof typeof expected];
      if (total !== arrived) throw brokenResponse(address, { field, claimed: total, arrived });
    }
    const { unique_chunks: unique, total_chunks: chunks } = head;
    if (unique > chunks || (unique === 0) !== (chunks === 0))
      throw brokenResponse(address, { field: 'unique_chunks', claimed: unique });
  }
}
