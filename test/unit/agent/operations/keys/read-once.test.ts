import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KEYS_FOLDER } from '../../../../../src/format/repository/file-names.ts';
import { FolderStorage } from '../../../../../src/storage/folder/folder-storage.ts';
import { HandlerFixture } from '../../host/handler-fixture.ts';

let fixture: HandlerFixture;
beforeEach(async () => {
  fixture = new HandlerFixture();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  fixture.close();
});

/** Returns how often each key envelope was read. */
async function readsOf(work: () => Promise<unknown>): Promise<readonly number[]> {
  const reads = new Map<string, number>();
  const get = FolderStorage.prototype.get;
  vi.spyOn(FolderStorage.prototype, 'get').mockImplementation(function (this: FolderStorage, name, ...others) {
    if (name.startsWith(KEYS_FOLDER)) reads.set(name, (reads.get(name) ?? 0) + 1);
    return get.call(this, name, ...others);
  });
  await work();
  return [...reads.values()];
}

test.each<[string, () => Promise<unknown>]>([
  ['a code', () => fixture.agent.newKeyCode()],
  ['a passphrase', () => fixture.agent.changePassphrase({ passphrase: 'six random words' })],
  ['a phrase', async () => fixture.agent.adoptPhrase({ phrase: await fixture.agent.recoveryPhrase() })],
])('%s reads the key envelopes of a destination once', async (_, work) => {
  expect(await readsOf(work)).toEqual([1]);
});
