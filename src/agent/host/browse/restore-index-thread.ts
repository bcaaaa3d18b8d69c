import { workerData } from 'node:worker_threads';
import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import { systemClock } from '../../../base/clock.ts';
import { makeFolderSync } from '../../../engine/filesystem/make-folder.ts';
import { Agent } from '../../agent.ts';
import { homeAt } from '../../home/home.ts';
import { HomeKeyStore } from '../../key-store/home-key-store.ts';
import { SystemKeychain } from '../../key-store/keychain.ts';
import { pointInTime } from '../../input/point-in-time.ts';
import { RestoreBrowser, type FindInput, type OpenInput, type RowsInput, type RowsOutput } from './restore-browser.ts';
import type { BrowsedEntry } from '../../../ipc/contract/restore/restore.ts';

/** The calls of the thread in which restore points are browsed. */
export interface BrowseCalls {
  open(input: OpenInput): string;
  rows(input: RowsInput): RowsOutput;
  find(input: FindInput): readonly BrowsedEntry[];
  /** Releases the destination, and ends the thread. */
  close(input: undefined): void;
}

export interface BrowseThreadSetup {
  /** The home's folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

// Restore points are read, sorted and counted in this thread, so that the host stays responsive.

const port = parentThreadPort();
const { home: folder, environment } = workerData as BrowseThreadSetup;
const home = homeAt(folder);
const keyStore = new HomeKeyStore(home, new SystemKeychain(environment));
const agent = new Agent({ home, keyStore, clock: systemClock, environment });
const browser = new RestoreBrowser({
  scratch: home.scratchFolder,
  read: async function* ({ set, device, destination, restorePoint }, signal) {
    const at = await pointInTime(restorePoint, systemClock.now());
    const reference = device === undefined ? { set } : { set, device };
    const there = destination === undefined ? agent : agent.at(destination);
    yield* there.list({ ...reference, at, path: '/', recursive: true }, signal);
  },
});

const handle = byName<BrowseCalls>({
  open: (input) => prepared().open(input),
  rows: (input) => prepared().rows(input),
  find: (input) => prepared().find(input),
  close: () => browser.close(),
});
serveCalls(port, handle, {
  onAnswered: (name) => {
    if (name === 'close') port.close();
  },
});

function prepared(): RestoreBrowser {
  makeFolderSync(home.scratchFolder, 0o700);
  return browser;
}
