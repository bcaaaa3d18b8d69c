import { workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import { performHere } from '../../agent.ts';
import { partsAt } from '../../context/agent-parts.ts';
import { homeAt } from '../../home/home.ts';
import { HomeKeyStore } from '../../key-store/home-key-store.ts';
import { SystemKeychain } from '../../key-store/keychain.ts';
import type { CurrentValues, RunThreadCalls, RunThreadEvents, RunThreadSetup } from './run-thread-calls.ts';

// The program of a thread that performs one operation of the table: the host stays responsive while it works.

const port = parentThreadPort();
const { home: folder, environment, destination } = workerData as RunThreadSetup;
const home = homeAt(folder);
const keyStore = new HomeKeyStore(home, new SystemKeychain(environment));
let current: CurrentValues = {};

const handle = byName<RunThreadCalls>({
  perform: ({ name, input, current: first, run, listeners }, { signal }) => {
    current = first;
    const live = Object.keys(first).map((value) => [value, () => current[value]]);
    const told = listeners.map((listener) => [
      listener,
      (...values: readonly unknown[]) => emit('told', { listener, values }),
    ]);
    return performHere(
      name,
      parts,
      { ...input, ...Object.fromEntries(live) },
      { ...run, ...Object.fromEntries(told), signal },
    );
  },
  setCurrent: (values) => {
    current = values;
  },
});
const emit = serveCalls<RunThreadEvents>(port, handle, {
  onAnswered: (name) => {
    // An open port would keep the thread, and with it its memory.
    if (name === 'perform') port.close();
  },
});
const onSkew = (skewMs: number): void => emit('skew', skewMs);
const parts = partsAt({ home, keyStore, clock: systemClock, environment, onSkew }, destination);
