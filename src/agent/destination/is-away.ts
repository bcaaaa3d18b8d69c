import { isHoldfastError } from '../../base/errors/errors.ts';

/**
 * Returns whether a destination failed because it is not connected or not reachable, so that nothing is wrong with what it has as far as anybody
 * knows. Damage and a server with another key are no absence.
 */
export function isAway(error: unknown): boolean {
  if (isHoldfastError(error, 'service_unreachable')) return error.details.reason !== 'host-key';
  if (!isHoldfastError(error, 'destination_missing')) return false;
  const { problem } = error.details;
  return problem === undefined || problem === 'rclone';
}
