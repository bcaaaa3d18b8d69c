import type { RestoreReportRequest } from '../../protocol/extensions.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import { findRestoreSession } from './restore-access.ts';
import { completedEvent, startedEvent } from './restore-events.ts';

/**
 * Emits the events of a restore whose agent reports them. A restore of no files has none.
 *
 * @throws ServiceProblem `conflict` if the session was not opened for reports, so that no event comes twice
 */
export async function reportRestore(
  context: ServiceContext,
  caller: Caller,
  request: RestoreReportRequest,
): Promise<void> {
  const { restore_session_id: id, state, files, bytes } = request;
  const session = await findRestoreSession(context, caller, id);
  if (!session.isReported) {
    throw new ServiceProblem('conflict', { detail: 'the restore session was opened without "reported"' });
  }
  if (files === 0) return;
  const now = context.clock.now();
  const totals = { files, bytes };
  const event = state === 'started' ? startedEvent(session, totals) : completedEvent(session, totals, now);
  await context.metadata.restores.reported(id, state, event, now);
}
