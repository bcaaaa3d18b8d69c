import { workerData } from 'node:worker_threads';
import { parentThreadPort } from '../../../../src/base/calls/thread-port.ts';

// The imports are loaded by now.
Atomics.store(workerData as Int32Array, 0, 1);
parentThreadPort().onMessage((message) => {
  if (message === 'stay') setInterval(() => undefined, 60_000);
});
