import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StorageCredentials, StorageLocation } from '../../../src/storage/open-storage.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { listed } from '../../unit/storage/contract.ts';

/** Kills a process that is putting files, and expects every file in the store to be complete. */
export async function expectCompleteAfterKill(
  location: StorageLocation,
  credentials: StorageCredentials,
  storage: Storage,
): Promise<void> {
  const words = [join(import.meta.dirname, 'put-forever.ts'), JSON.stringify(location), JSON.stringify(credentials)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let reported = '';
  // Other files are being written whenever one is complete.
  for await (const text of child.stdout) {
    reported += String(text);
    if (reported.split('\n').length > 3) break;
  }
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const names = (await listed(storage, 'packs/')).map(({ name }) => name);
  for (const name of names) {
    const bytes = await storage.get(name);
    expect(createHash('sha256').update(bytes!).digest('hex')).toBe(name.split('/')[2]);
  }
  const complete = reported.split('\n').filter((line) => line.length === 64);
  expect(names).toEqual(expect.arrayContaining(complete.map((name) => `packs/${name[0]}/${name}`)));
}
