import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';
import { describeStorage } from './contract.ts';

describeStorage('memory', async () => {
  const { files } = new MemoryStorage();
  await new MemoryStorage(files).put('holdfast.json', [Buffer.from('{}')]);
  return { open: async () => new MemoryStorage(files) };
});
