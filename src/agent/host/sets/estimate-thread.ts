import { setImmediate } from 'node:timers/promises';
import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import type { Estimate } from '../../../ipc/contract/sets.ts';
import { EstimateWalk } from './estimate-walk.ts';
import type { EstimateCalls, EstimateEvents, NumberedRequest } from './estimate-calls.ts';

/** Often enough for numbers that count up on the screen. */
const PROGRESS_MS = 100;
/** Milliseconds of one estimate before the next one continues: a small folder does not wait for a large one. */
const TURN_MS = 20;

const emit = serveCalls<EstimateEvents>(parentThreadPort(), byName<EstimateCalls>({ count }));

async function count(
  { id, request }: NumberedRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<Estimate> {
  using walk = new EstimateWalk(request);
  let reportedAt = performance.now();
  while (takeTurn(walk)) {
    // Other estimates continue here, and requests to stop arrive.
    await setImmediate();
    signal.throwIfAborted();
    if (performance.now() - reportedAt < PROGRESS_MS) continue;
    emit('progress', { id, estimate: walk.estimate(false) });
    reportedAt = performance.now();
  }
  return walk.estimate(true);
}

/** Returns whether there is more to count. */
function takeTurn(walk: EstimateWalk): boolean {
  const endsAt = performance.now() + TURN_MS;
  while (walk.step()) if (performance.now() >= endsAt) return true;
  return false;
}
