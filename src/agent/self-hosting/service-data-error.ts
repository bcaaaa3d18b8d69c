import { systemCodeOf } from '../../engine/errors.ts';
import { ServiceProblem } from '../../service/problem.ts';
import { asDestinationError } from '../destination/embedded-errors.ts';
import { wrongUsage } from '../failure.ts';

/** What a failure means to the person who runs the service. */
export function asServiceDataError(
  error: unknown,
  data: string,
  address?: { readonly host: string; readonly port: number },
): unknown {
  const code = systemCodeOf(error);
  if (address && (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')) {
    const where = `${address.host}:${address.port}`;
    return wrongUsage('service', { message: `The service cannot listen on ${where} (${code}).` });
  }
  const explained = asDestinationError(error, data);
  if (explained !== error || !(error instanceof ServiceProblem)) return explained;
  // These problems are about what was typed, and say it well.
  const detail = error.facts.detail ?? error.code;
  return wrongUsage('service', { message: `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}.` });
}
