import { FolderStorage } from '../../../src/repository/storage/folder/folder-storage.ts';
import { describeStorage } from './contract.ts';
import { newRepositoryFolder, placeIn } from './folder-place.ts';

describeStorage('folder', async () => {
  const folder = newRepositoryFolder();
  return { open: () => FolderStorage.open(folder), ...placeIn(folder) };
});
