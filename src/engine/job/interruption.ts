import { HoldfastError } from '../errors.ts';

/** @throws HoldfastError `interrupted` once the signal was aborted */
export function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new HoldfastError('interrupted', {}, { cause: signal.reason });
}
