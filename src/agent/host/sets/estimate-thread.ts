import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import type { Estimate } from '../../../ipc/contract/sets.ts';
import { EstimateWalk, type EstimateRequest } from './estimate-walk.ts';
import type { EstimateCalls, EstimateEvents } from './estimates.ts';

/** Often enough for numbers that count up on the screen. */
const PROGRESS_MS = 100;

const port = parentThreadPort();
const emit = serveCalls<EstimateEvents>(port, byName<EstimateCalls>({ count }), { onAnswered: () => port.close() });

function count(request: EstimateRequest): Estimate {
  const walk = new EstimateWalk(request);
  let reportedAt = performance.now();
  while (walk.step()) {
    if (performance.now() - reportedAt < PROGRESS_MS) continue;
    emit('progress', walk.estimate(false));
    reportedAt = performance.now();
  }
  return walk.estimate(true);
}
