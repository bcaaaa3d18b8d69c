import { workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import type { Failure } from '../../../base/errors/failure.ts';
import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import type { BackupProgress, Progress, RunOptions } from '../../../jobs/progress.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { Agent } from '../../agent.ts';
import { partsAt } from '../../context/agent-parts.ts';
import { homeAt } from '../../home/home.ts';
import { HomeKeyStore } from '../../key-store/home-key-store.ts';
import { SystemKeychain } from '../../key-store/keychain.ts';
import type {
  CurrentLimits,
  RunOrder,
  RunOutcome,
  RunThreadCalls,
  RunThreadEvents,
  RunThreadSetup,
} from './run-thread-calls.ts';

// The program of a run's thread: the host stays responsive while the run works.

const port = parentThreadPort();
const { home: folder, environment, destination: only } = workerData as RunThreadSetup;
const home = homeAt(folder);
const keyStore = new HomeKeyStore(home, new SystemKeychain(environment));
let limits: CurrentLimits = {};

const handle = byName<RunThreadCalls>({
  run: ({ order, limits: first, trigger, job }, { signal }) => {
    limits = first;
    return run(order, {
      signal,
      ...(trigger === undefined ? {} : { trigger }),
      ...(job === undefined ? {} : { job }),
      onJob: (id) => emit('job', id),
      onProgress: (progress) => emit('progress', progress),
    });
  },
  setLimits: (next) => {
    limits = next;
  },
});
const emit = serveCalls<RunThreadEvents>(port, handle, {
  onAnswered: (name) => {
    // An open port would keep the thread, and with it its memory.
    if (name === 'run') port.close();
  },
});
const onSkew = (skewMs: number): void => emit('skew', skewMs);
const agent = new Agent(partsAt({ home, keyStore, clock: systemClock, environment, onSkew }, only));

const onProgressAt = (destination: string, progress: BackupProgress): void =>
  emit('progressAt', { destination, progress });

const onEndAt = (destination: string, failure: Failure | undefined): void => emit('endedAt', { destination, failure });

function run(order: RunOrder, options: RunOptions<Progress>): Promise<RunOutcome> {
  const line = limitsOf(limits);
  switch (order.kind) {
    case 'backup':
      return agent.backup(order.set, { ...order.options, ...line }, { ...options, onProgressAt, onEndAt });
    case 'restore':
      return agent.restore({ ...order.options, ...line }, options);
    case 'verify':
      return agent.verify({ ...order.options, ...line }, options);
    case 'drill':
      return agent.drill({ ...order.options, ...line }, options);
    case 'check':
      return agent.check(order.request, options);
    case 'repair':
      return agent.repair(order.request, options);
    case 'export':
      return agent.exportPoint(order.options, options);
    case 'undo':
      return agent.undoRestore({ signal: options.signal }, options);
    case 'space':
      return agent.planFreeing(options.signal);
    case 'free':
      return agent.freeSpace(order.choice, options.signal);
  }
}

function limitsOf({ limitUpload, limitDownload }: CurrentLimits): TransferLimits {
  return {
    ...(limitUpload ? { limitUpload: () => limits.limitUpload?.now } : {}),
    ...(limitDownload ? { limitDownload: () => limits.limitDownload?.now } : {}),
  };
}
