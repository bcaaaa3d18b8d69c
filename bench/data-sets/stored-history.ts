import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BucketStorage } from '../../src/storage/s3/bucket-storage.ts';
import type { BucketConfig } from '../../src/storage/bucket/bucket-config.ts';
import type { MemoryStorage } from '../../test/helpers/storage/memory-storage.ts';

const CONCURRENT_WRITES = 16;

/** Writes the files of a repository to a folder. */
export function storeInFolder({ files }: MemoryStorage, directory: string): void {
  for (const [name, { bytes }] of files) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), bytes);
  }
}

/** Writes the files of a repository to a bucket. */
export async function storeInBucket({ files }: MemoryStorage, bucket: BucketConfig): Promise<void> {
  const storage = new BucketStorage(bucket);
  const names = [...files.keys()];
  for (let start = 0; start < names.length; start += CONCURRENT_WRITES) {
    const batch = names.slice(start, start + CONCURRENT_WRITES);
    await Promise.all(batch.map((name) => storage.put(name, [files.get(name)!.bytes])));
  }
}
