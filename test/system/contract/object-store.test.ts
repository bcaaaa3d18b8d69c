import { describe, onTestFinished } from 'vitest';
import { openFolderObjectStore } from '../../../src/service/objects/folder/folder-object-store.ts';
import { Bucket } from '../../../src/storage/bucket/bucket.ts';
import { openS3ObjectStore } from '../../../src/service/objects/s3/s3-object-store.ts';
import { HAS_S3, newBucket } from '../../helpers/s3/s3-server.ts';
import { temporaryDirectory } from '../../unit/service/harness.ts';
import { describeDirectBlobs } from './direct-blobs.ts';
import { describeObjectStore } from './object-store.ts';

describeObjectStore('folder', async () => {
  const directory = await temporaryDirectory();
  let store = openFolderObjectStore(directory);
  onTestFinished(() => store.close());
  return {
    store,
    async reopen() {
      await store.close();
      store = openFolderObjectStore(directory);
      return store;
    },
  };
});

describe.skipIf(!HAS_S3)('with radosgw (scripts/install-test-tools.sh)', () => {
  const open = async () => {
    const config = await newBucket('some/prefix/');
    let store = openS3ObjectStore(new Bucket(config));
    onTestFinished(() => store.close());
    return {
      config,
      store,
      async reopen() {
        await store.close();
        store = openS3ObjectStore(new Bucket(config));
        return store;
      },
    };
  };
  describeObjectStore('S3', open);
  describeDirectBlobs('S3', open);
});
