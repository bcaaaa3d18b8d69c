import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { Space } from '../../../src/storage/storage.ts';
import { MemoryStorage, type MemoryFiles } from './memory-storage.ts';

/** A disk or a quota that several storages share. */
export interface Quota {
  /** Bytes of all files. */
  most: number;
}

/** A store in memory that has room for so many bytes. */
export class SmallStorage extends MemoryStorage {
  readonly #quota: Quota;
  readonly space?: () => Promise<Space>;

  /** @param tells whether it says how much room there is, as a disk does and a bucket does not */
  constructor(files: MemoryFiles, now: () => number, quota: Quota, tells = false) {
    super(files, now);
    this.#quota = quota;
    if (tells) this.space = async () => ({ total: quota.most, free: quota.most - usedBytes(files) });
  }

  override async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (!this.files.has(name) && usedBytes(this.files) + bytes > this.#quota.most) {
      throw new HoldfastError('destination_full', { directory: this.address });
    }
    return await super.put(name, parts, signal);
  }
}

export function usedBytes(files: MemoryFiles): number {
  let used = 0;
  for (const { bytes } of files.values()) used += bytes.length;
  return used;
}
