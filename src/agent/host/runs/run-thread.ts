import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import { failureOf } from '../../../base/failure.ts';
import type { Progress, RunOptions } from '../../../engine/job/progress.ts';
import type { TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import { Agent } from '../../agent.ts';
import { homeAt } from '../../home/home.ts';
import { HomeKeyStore } from '../../key-store/home-key-store.ts';
import { SystemKeychain } from '../../key-store/keychain.ts';
import type { CurrentLimits, FromRunThread, RunOutcome, RunThreadSetup, ToRunThread } from './run-thread-wire.ts';

// One run from its beginning to its end, in a thread of its own: whoever asks the host something does not wait for it.

const port = parentPort;
if (!port) throw new Error('run-thread.ts runs in a worker thread only');
const { home: folder, environment, order, limits: firstLimits, trigger } = workerData as RunThreadSetup;

const home = homeAt(folder);
const keyStore = new HomeKeyStore(home, new SystemKeychain(environment));
const abort = new AbortController();
let limits = firstLimits;

port.on('message', (message: ToRunThread) => {
  if (message.kind === 'abort') abort.abort(message.reason);
  else limits = message.limits;
});

const post = (message: FromRunThread): void => port.postMessage(message);
const onSkew = (skewMs: number): void => post({ kind: 'skew', skewMs });
const agent = new Agent({ home, keyStore, clock: systemClock, environment, onSkew });

const options: RunOptions<Progress> = {
  signal: abort.signal,
  ...(trigger === undefined ? {} : { trigger }),
  onJob: (id) => post({ kind: 'job', id }),
  onProgress: (progress) => post({ kind: 'progress', progress }),
};

run()
  .then((report) => post({ kind: 'done', report }), fail)
  // Nothing may be left behind that keeps the thread, and with it its memory.
  .finally(() => port.close());

function run(): Promise<RunOutcome> {
  const line = limitsOf(firstLimits);
  switch (order.kind) {
    case 'backup':
      return agent.backup(order.set, { ...order.options, ...line }, options);
    case 'restore':
      return agent.restore({ ...order.options, ...line }, options);
    case 'verify':
      return agent.verify({ ...order.options, ...line }, options);
  }
}

function limitsOf({ limitUpload, limitDownload }: CurrentLimits): TransferLimits {
  return {
    ...(limitUpload ? { limitUpload: () => limits.limitUpload?.now } : {}),
    ...(limitDownload ? { limitDownload: () => limits.limitDownload?.now } : {}),
  };
}

function fail(error: unknown): void {
  const failure = isHoldfastError(error) ? failureOf(error) : undefined;
  post(failure ? { kind: 'failed', failure } : { kind: 'broken', error });
}
