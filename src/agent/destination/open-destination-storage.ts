import { HoldfastError } from '../../base/errors.ts';
import { FolderStorage } from '../../repository/storage/folder/folder-storage.ts';
import type { Storage } from '../../repository/storage/storage.ts';
import type { Destination } from '../home/settings.ts';
import type { DestinationSecrets } from '../key-store/key-store.ts';

/** A destination that stores files: everything but a service. */
export type StorageDestination = Exclude<Destination, { kind: 'service' }>;

/**
 * Opens the store of a destination. Sends and writes nothing yet.
 *
 * @param isNew whether a repository is about to be created there
 * @throws HoldfastError `destination_*`, `usage`
 */
export async function openDestinationStorage(
  destination: StorageDestination,
  { bucket }: Pick<DestinationSecrets, 'bucket'>,
  isNew = false,
): Promise<Storage> {
  switch (destination.kind) {
    case 'folder':
      return await FolderStorage.open(destination.directory, { isNew });
    case 'bucket': {
      if (!bucket) throw new HoldfastError('home_damaged', { problem: 'no-bucket-keys' });
      const [{ BucketStorage }, { bucketConfigOf }] = await Promise.all([
        import('../../repository/storage/s3/bucket-storage.ts'),
        import('./bucket-destination.ts'),
      ]);
      return new BucketStorage(bucketConfigOf(destination, bucket));
    }
  }
}
