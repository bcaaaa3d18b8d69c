import { workerData } from 'node:worker_threads';
import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { systemClock } from '../../../base/clock.ts';
import { makePrivateFolderSync } from '../../../os/filesystem/make-folder.ts';
import { agentOf } from '../../agent.ts';
import { homeAt } from '../../home/home.ts';
import { HomeKeyStore } from '../../key-store/home-key-store.ts';
import { SystemKeychain } from '../../key-store/keychain.ts';
import { pointInTime } from '../../input/point-in-time.ts';
import { isAway } from '../../destination/is-away.ts';
import { HistoryAnswers } from '../../operations/history/history-answers.ts';
import type { HistoryReference } from '../../operations/history/searched-sources.ts';
import type { RestoreSource } from '../../operations/restore/restore-sources.ts';
import { KnownHere, type KnownPoints } from './known-here.ts';
import {
  RestoreBrowser,
  type FindInput,
  type JumpInput,
  type OpenInput,
  type RowsInput,
  type RowsOutput,
  type TreeReference,
} from './restore-browser.ts';
import type { BrowsedEntry } from '../../../ipc/contract/restore/restore.ts';
import type { ListedEntry } from '../../../read/list.ts';

/** The calls of the thread in which restore points are browsed. */
export interface BrowseCalls {
  open(input: OpenInput): string;
  rows(input: RowsInput): RowsOutput;
  jump(input: JumpInput): number | undefined;
  find(input: FindInput): readonly BrowsedEntry[];
  /** Lists what this computer knows of a destination that is away. */
  knownSources(input: { readonly destination: string }): readonly RestoreSource[];
  knownPoints(input: HistoryReference): KnownPoints | undefined;
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
const agent = agentOf({ home, keyStore, clock: systemClock, environment });
const answers = new HistoryAnswers(home);
const known = new KnownHere(home, answers);
const browser = new RestoreBrowser({ scratch: home.scratchFolder, read: readTree });

/** Reads a tree from its destination, or if that is away, from what this computer knows of it. */
async function* readTree(
  { set, device, destination, restorePoint }: TreeReference,
  signal: AbortSignal,
): AsyncGenerator<readonly ListedEntry[], void, void> {
  const at = await pointInTime(restorePoint, systemClock.now());
  const reference = device === undefined ? { set } : { set, device };
  const there = agent.at(destination);
  let hasBegun = false;
  try {
    for await (const entries of await there.list({ ...reference, at, path: '/', recursive: true }, { signal })) {
      hasBegun = true;
      yield entries;
    }
  } catch (error) {
    if (hasBegun || at === 'latest' || !isAway(error)) throw error;
    yield* knownTree({ set, device, destination }, at, error);
  }
}

/** @throws `problem` if it is not known here */
function* knownTree(
  reference: HistoryReference,
  time: number,
  problem: unknown,
): Generator<readonly ListedEntry[], void, void> {
  try {
    yield* known.tree(reference, time);
  } catch (error) {
    throw isHoldfastError(error, 'no_restore_point') ? problem : error;
  }
}

const handle = byName<BrowseCalls>({
  open: (input) => prepared().open(input),
  rows: (input) => prepared().rows(input),
  jump: (input) => prepared().jump(input),
  find: (input) => prepared().find(input),
  knownSources: ({ destination }) => known.sources(destination),
  knownPoints: (input) => known.points(input),
  close: () => {
    browser.close();
    answers[Symbol.dispose]();
  },
});
serveCalls(port, handle, {
  onAnswered: (name) => {
    if (name === 'close') port.close();
  },
});

function prepared(): RestoreBrowser {
  makePrivateFolderSync(home.scratchFolder);
  return browser;
}
