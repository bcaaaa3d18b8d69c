import type { InputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import type { Estimate } from '../../../../ipc/contract/sets.ts';
import { call } from '../../../bridge/bridge.ts';

/** Milliseconds between two questions about one estimate. */
const INTERVAL = 300;

/** Reports an estimate while it grows, until it is complete or the signal aborts. Rejects if nothing can be counted. */
export async function pollEstimate(
  request: InputOf<WindowMethods, 'sets.estimate'>,
  report: (estimate: Estimate) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const estimate = await call('sets.estimate', request);
    if (signal.aborted) return;
    report(estimate);
    if (estimate.done) return;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}

/** Ends the counting in the agent. If that fails, the agent ends it later by itself. */
export function stopEstimate(estimate: string): void {
  call('sets.estimate.stop', { estimate }).catch(() => undefined);
}
