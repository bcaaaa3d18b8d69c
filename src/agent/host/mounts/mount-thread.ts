import { workerData } from 'node:worker_threads';
import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import { systemClock } from '../../../base/clock.ts';
import { agentOf } from '../../agent.ts';
import { partsAt } from '../../context/agent-parts.ts';
import { homeAt } from '../../home/home.ts';
import { HomeKeyStore } from '../../key-store/home-key-store.ts';
import { SystemKeychain } from '../../key-store/keychain.ts';
import type { MountThreadCalls, MountThreadEvents, MountThreadSetup } from './mount-thread-calls.ts';

// The program of a mount's thread: the host stays responsive while programs read.

const port = parentThreadPort();
const { home: folder, environment, destination } = workerData as MountThreadSetup;
const home = homeAt(folder);
const keyStore = new HomeKeyStore(home, new SystemKeychain(environment));
const agent = agentOf(partsAt({ home, keyStore, clock: systemClock, environment }, destination));
const ending = new AbortController();
const detaching = new AbortController();

const handle = byName<MountThreadCalls>({
  mount: async (options) => {
    await agent.mount(options, {
      onMounted: () => emit('mounted', {}),
      onBusy: () => emit('busy', {}),
      // Programs get an error of their own, and the end of the mount counts them.
      onError: () => undefined,
      signal: ending.signal,
      detach: detaching.signal,
    });
  },
  end: ({ detaches }) => {
    if (detaches) detaching.abort();
    ending.abort();
  },
});
const emit = serveCalls<MountThreadEvents>(port, handle, {
  onAnswered: (name) => {
    // An open port would keep the thread.
    if (name === 'mount') port.close();
  },
});
