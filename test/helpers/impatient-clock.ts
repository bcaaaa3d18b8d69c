import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/base/clock.ts';

/** The system's time; pauses take none. */
export const impatientClock: Clock = {
  now: () => Date.now(),
  sleep: async (_milliseconds, signal) => {
    signal?.throwIfAborted();
    await nextTurn();
    signal?.throwIfAborted();
  },
};
