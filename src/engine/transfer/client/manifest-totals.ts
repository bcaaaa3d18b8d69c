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
    const files = this.#files + this.#malformed;
    // Chunks and bytes of malformed elements are not known.
    const others = this.#malformed > 0 ? {} : { total_chunks: this.#chunks, total_bytes: this.#bytes };
    for (const [field, arrived] of Object.entries({ total_files: files, ...others })) {
      const claimed = head[field as keyof RestoreManifestHead];
      if (claimed !== arrived) throw brokenResponse(address, { field, claimed: Number(claimed), arrived });
    }
    const { unique_chunks: unique, total_chunks: total } = head;
    if (unique > total || (unique === 0) !== (total === 0))
      throw brokenResponse(address, { field: 'unique_chunks', claimed: unique });
  }
}
