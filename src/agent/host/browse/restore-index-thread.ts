import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import { makeFolderSync } from '../../../engine/filesystem/make-folder.ts';
import { type Failure, failureOf } from '../../../base/failure.ts';
import { Agent } from '../../agent.ts';
import { homeAt } from '../../home/home.ts';
import { HomeKeyStore } from '../../key-store/home-key-store.ts';
import { SystemKeychain } from '../../key-store/keychain.ts';
import { pointInTime } from '../../input/point-in-time.ts';
import { RestoreBrowser, type FindInput, type OpenInput, type RowsInput } from './restore-browser.ts';

/** What the thread is asked. */
export type BrowseCall =
  | { readonly kind: 'open'; readonly input: OpenInput }
  | { readonly kind: 'rows'; readonly input: RowsInput }
  | { readonly kind: 'find'; readonly input: FindInput };

export type ToBrowseThread = { readonly id: number; readonly call: BrowseCall } | { readonly kind: 'end' };

export interface BrowseAnswer {
  readonly id: number;
  readonly value?: unknown;
  /** Errors lose their class on the way. */
  readonly failure?: Failure;
  /** One that nobody expects. */
  readonly error?: unknown;
}

export interface BrowseThreadSetup {
  /** The home's folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

// Restore points are read, sorted and counted here: whoever asks the host something else does not wait for it.

const port = parentPort!;
const { home: folder, environment } = workerData as BrowseThreadSetup;
const home = homeAt(folder);
const keyStore = new HomeKeyStore(home, new SystemKeychain(environment));
const agent = new Agent({ home, keyStore, clock: systemClock, environment });
const browser = new RestoreBrowser({
  scratch: home.scratchFolder,
  read: async function* ({ set, device, restorePoint }, signal) {
    const at = await pointInTime(restorePoint, systemClock.now());
    const reference = device === undefined ? { set } : { set, device };
    yield* agent.list({ ...reference, at, path: '/', recursive: true }, signal);
  },
});

port.on('message', (message: ToBrowseThread) => {
  if ('kind' in message) {
    browser.close();
    port.close();
  } else void answer(message.id, message.call);
});

async function answer(id: number, call: BrowseCall): Promise<void> {
  const post = (rest: Omit<BrowseAnswer, 'id'>): void => port.postMessage({ id, ...rest });
  try {
    post({ value: await perform(call) });
  } catch (error) {
    const failure = failureOf(error);
    post(failure ? { failure } : { error });
  }
}

function perform(call: BrowseCall): unknown {
  makeFolderSync(home.scratchFolder, 0o700);
  switch (call.kind) {
    case 'open':
      return browser.open(call.input);
    case 'rows':
      return browser.rows(call.input);
    case 'find':
      return browser.find(call.input);
  }
}
