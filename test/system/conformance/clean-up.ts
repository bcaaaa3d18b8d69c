import type { Answer } from './exchange.ts';
import type { Subject } from './subject.ts';

/** What a run leaves at the service. */
export interface CleanedUp {
  /** Backup sets that the service erases, and when it does so at the latest. */
  readonly erased: number;
  readonly until: string | undefined;
  /** Backup sets that the service has no call to remove. */
  readonly left: readonly string[];
}

/**
 * Ends the sessions and erases the backup sets of a run, by Holdfast's extensions: the interface has no calls for either. Never
 * rejects.
 */
export async function cleanUp(subject: Subject): Promise<CleanedUp> {
  const { sessions, sets } = subject.created;
  const token = await subject.token().catch(() => undefined);
  for (const session of sessions) {
    await subject.post('/functions/v1/backup/abort', { session_id: session }, token).catch(() => undefined);
  }
  const left: string[] = [];
  let until: string | undefined;
  const owner = sets.size === 0 ? undefined : await confirmed(subject).catch(() => undefined);
  for (const [set, device] of sets) {
    const answer = owner === undefined ? undefined : await erase(subject, owner, device, set).catch(() => undefined);
    const due = (answer?.json as { due_at?: string } | undefined)?.due_at;
    if (answer?.status === 200 && due !== undefined) until = until === undefined || due > until ? due : until;
    // A set whose manifest was refused does not exist.
    else if (answer?.status !== 404 || !isOurs(answer)) left.push(set);
  }
  return { erased: sets.size - left.length, until, left };
}

/** An erasure takes a fresh code of the second factor. */
async function confirmed(subject: Subject): Promise<string> {
  const token = await subject.userToken();
  await subject.post('/auth/v1/confirmation', { code: await subject.freshCode() }, token);
  return token;
}

function erase(subject: Subject, token: string, device: string, set: string): Promise<Answer> {
  return subject.post('/auth/v1/erasures', { scope: 'set', device_id: device, backup_set: set }, token);
}

/** A 404 of the endpoint, not of a missing endpoint. */
function isOurs({ json }: Answer): boolean {
  const { detail = '' } = (json ?? {}) as { detail?: string };
  return !detail.includes('endpoint');
}
