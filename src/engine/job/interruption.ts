import { HoldfastError, isHoldfastError } from '../../base/errors.ts';

/** The reason of a signal that somebody aborted because the run is not wanted any more. */
export const STOPPED_BY_PERSON = 'stopped-by-person';

/** @throws HoldfastError `interrupted` once the signal was aborted */
export function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new HoldfastError('interrupted', {}, { cause: signal.reason });
}

/** Waits for the work; whatever ends it after the signal was aborted is the interruption, not a failure. */
export async function unlessInterrupted<Result>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (isHoldfastError(error, 'interrupted')) throw error;
    throwIfInterrupted(signal);
    throw error;
  }
}

/** Milliseconds that what is in flight has to end by itself once a person has interrupted a run. */
const GRACE_MS = 5000;

/** A signal for calls in flight: aborted a while after the person's, so that a chunk that is being sent arrives. */
export function withGrace(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (!signal) return undefined;
  const controller = new AbortController();
  const abort = (): void => {
    setTimeout(() => controller.abort(signal.reason), GRACE_MS).unref();
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
