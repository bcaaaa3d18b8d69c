/** Puts files named by their hash until it is killed, and prints a line for each. Arguments: location and credentials as JSON. */
import { createHash, randomBytes } from 'node:crypto';
import { systemClock } from '../../../src/base/clock.ts';
import { openStorage, type StorageCredentials, type StorageLocation } from '../../../src/storage/open-storage.ts';

const [location = '', credentials = '{}'] = process.argv.slice(2);
const storage = await openStorage(
  JSON.parse(location) as StorageLocation,
  JSON.parse(credentials) as StorageCredentials,
  { clock: systemClock },
);

await Promise.all(
  Array.from({ length: storage.concurrency }, async () => {
    for (;;) {
      const bytes = randomBytes(4 * 1024 * 1024);
      const name = createHash('sha256').update(bytes).digest('hex');
      await storage.put(`packs/${name.slice(0, 1)}/${name}`, [bytes]);
      process.stdout.write(`${name}\n`);
    }
  }),
);
