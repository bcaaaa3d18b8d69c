import { openFolderObjectStore } from '../../src/service/objects/folder-object-store.ts';
import { describeObjectStore } from './object-store.ts';
import { temporaryDirectory } from '../service/harness.ts';
import { onTestFinished } from 'vitest';

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
