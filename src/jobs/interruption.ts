import { HoldfastError, isHoldfastError } from '../base/errors/errors.ts';

/** The abort reason of a run that a person stopped. */
export const STOPPED_BY_PERSON = 'stopped-by-person';

/** @throws HoldfastError `interrupted` once the signal was aborted */
export function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new HoldfastError('interrupted', {}, { cause: signal.reason });
}

/** Waits for the work. Any error after the signal was aborted counts as the interruption. */
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

/** Waits for the work, but not longer than until the signal is aborted. @throws HoldfastError `interrupted` */
export async function untilInterrupted<Result>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
): Promise<Result> {
  if (!signal) return await work;
  // Whatever becomes of it after an interruption.
  work.catch(() => undefined);
  throwIfInterrupted(signal);
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new HoldfastError('interrupted', {}, { cause: signal.reason }));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The time limit for calls in flight after an interruption. */
const GRACE_MS = 5000;

/** Returns a signal for calls in flight. It is aborted later than the run's, so that a chunk being sent can arrive. */
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
