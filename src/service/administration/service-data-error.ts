import { HoldfastError, systemCodeOf, wrongUsage } from '../../base/errors/errors.ts';
import { ForeignBucketError } from '../objects/s3/bucket-claim.ts';
import { BucketError } from '../../storage/bucket/bucket-error.ts';
import { DatabaseError, StoreError, type StoreErrorCode } from '../database/store-error.ts';
import { ServiceProblem } from '../request/problem.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';

const STORE_PROBLEMS: Readonly<Record<Exclude<StoreErrorCode, 'insufficient_storage'>, string>> = {
  store_missing: 'holds no service yet: start the service there, or create an account',
  store_unrecognised: 'is not empty, and what is in it is not the data of a service',
  store_newer: 'was written by a newer version of Holdfast',
  store_damaged: 'is damaged: restore it from a copy',
  store_unwritable: 'cannot be written to',
};

/** Translates a failure for the operator of the service. */
export function asServiceDataError(
  error: unknown,
  address?: { readonly host: string; readonly port: number },
): unknown {
  const code = systemCodeOf(error);
  if (address && (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')) {
    const where = `${address.host}:${address.port}`;
    return wrongUsage({ problem: 'service', message: `The service cannot listen on ${where} (${code}).` });
  }
  if (diskFailureOf(error) === 'full') return noSpace(undefined);
  if (error instanceof StoreError) {
    if (error.code === 'insufficient_storage') return noSpace(error.directory);
    return wrongUsage({ problem: 'service', message: `${error.directory} ${STORE_PROBLEMS[error.code]}.` });
  }
  if (error instanceof DatabaseError) {
    return wrongUsage({
      problem: 'service',
      message: `The database cannot be used (${databaseReason(error)}): "holdfast service check" says more.`,
    });
  }
  if (error instanceof BucketError || error instanceof ForeignBucketError) {
    return wrongUsage({
      problem: 'service',
      message: `The bucket cannot be used (${error.message}): "holdfast service check" says more.`,
    });
  }
  if (!(error instanceof ServiceProblem)) return error;
  if (error.code === 'insufficient_storage') return noSpace(undefined);
  // These problems describe the input.
  const detail = error.facts.detail ?? error.code;
  return wrongUsage({ problem: 'service', message: `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}.` });
}

/** A full disk is nobody's wrong usage. */
function noSpace(path: string | undefined): HoldfastError {
  return new HoldfastError('system_failed', { problem: 'full', path, system: 'ENOSPC' });
}

function databaseReason({ cause, name }: DatabaseError): string {
  return systemCodeOf(cause) ?? name;
}
