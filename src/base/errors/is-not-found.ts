import { isHoldfastError, type HoldfastError } from './errors.ts';

/** Detects the answer of a service to an unknown device or set, for which the interface defines no code. */
export function isNotFound(error: unknown): error is HoldfastError<'service_error'> {
  return isHoldfastError(error, 'service_error') && error.details['status'] === 404;
}
