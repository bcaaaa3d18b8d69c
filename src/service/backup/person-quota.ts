import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import { PersonQuotaError } from './store/quota-store.ts';
import type { BackupSession } from './store/session.ts';
import { abortBackup, sweepSessions } from './session-end.ts';

/**
 * Makes a change to a session that the quota of the person may refuse. If other sessions of its set are the reason, they were most
 * likely given up: they are ended, and it is tried again.
 *
 * @param own the numbers of the sessions that belong to the change
 * @throws ServiceProblem `quota_exceeded`
 */
export async function withinPersonQuota<Result>(
  context: ServiceContext,
  setNumber: number,
  own: readonly number[],
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof PersonQuotaError)) throw error;
    // The sweep deletes blobs, which a copy must not do.
    if (!error.fitsAlone || context.copyState?.isMuted === true) throw refused(error);
  }
  await endOthers(context, setNumber, own);
  return change().catch((error: unknown) => {
    throw error instanceof PersonQuotaError ? refused(error) : error;
  });
}

async function endOthers(context: ServiceContext, setNumber: number, own: readonly number[]): Promise<void> {
  const isOther = ({ number, state }: BackupSession): boolean => !own.includes(number) && state !== 'receiving';
  const others = (await context.metadata.sessions.unfinishedOfSet(setNumber)).filter(isOther);
  for (const other of others) await abortBackup(context, other);
  // From then on they count for what they have uploaded.
  await sweepSessions(context, new AbortController().signal);
}

function refused({ limit, used, next }: PersonQuotaError): ServiceProblem {
  return new ServiceProblem('quota_exceeded', {
    detail: `the person who set this device up uses ${used} of ${limit} bytes, and would use ${next}`,
  });
}
