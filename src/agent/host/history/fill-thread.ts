import { workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import { homeAt } from '../../home/home.ts';
import { requireSettings } from '../../home/settings.ts';
import { HomeKeyStore } from '../../key-store/home-key-store.ts';
import { SystemKeychain } from '../../key-store/keychain.ts';
import { updateHistory } from '../../operations/history/update-history.ts';
import type { FillCalls, FillThreadSetup } from './fill-calls.ts';

// Adding a restore point of many files takes seconds without a pause.

const port = parentThreadPort();
const { home: folder, environment } = workerData as FillThreadSetup;
const home = homeAt(folder);
const keyStore = new HomeKeyStore(home, new SystemKeychain(environment));
const parts = { home, keyStore, clock: systemClock, environment };

const handle = byName<FillCalls>({
  fill: async (_input, { signal }) => {
    let isComplete = true;
    for (const { name: set } of requireSettings(home).sets) {
      const failed = await updateHistory(parts, { set }, { signal });
      if (failed.length > 0) isComplete = false;
    }
    return isComplete;
  },
});
serveCalls(port, handle, { onAnswered: () => port.close() });
