import type { ServiceContext } from '../context.ts';
import { scanVersions } from './store/version-scan.ts';
import { type VersionSpan, isVisibleIn } from './store/version-span.ts';
import type { BackupSession } from './store/session.ts';
import { chunkCountOf, chunkIdAt, chunkSizeAt } from './store/packed-chunks.ts';

/**
 * Adds chunks to a session's needed ones that were stored when its manifest was compared, but are lost now: its restore point would
 * otherwise be incomplete. Reads all versions of the set, but only if the account has lost chunks, which is rare.
 */
export async function needLostChunks(
  { metadata }: Pick<ServiceContext, 'metadata'>,
  session: BackupSession,
): Promise<void> {
  const account = await metadata.accounts.findAccount(session.accountId);
  const lost = new Set(await metadata.chunks.lost(account!.number));
  if (lost.size === 0) return;
  for await (const page of scanVersions(metadata.retention, session.setNumber)) {
    const named = page.filter((version) => lostOf(version, lost).length > 0);
    const own = named.filter((version) => version.validFrom === session.number);
    const ofBase = named.filter((version) => isVisibleIn(version, [session.base]));
    const states = await metadata.trees.staged(
      session,
      ofBase.map(({ pathKey }) => pathKey),
    );
    const kept = ofBase.filter((_, index) => !states[index]!.ended);
    const needed = [...own, ...kept].flatMap((version) => lostOf(version, lost));
    if (needed.length > 0) await metadata.chunks.need(session, needed);
  }
}

function lostOf({ chunks }: VersionSpan, lost: ReadonlySet<number>): { readonly id: number; readonly size: number }[] {
  return Array.from({ length: chunkCountOf(chunks) }, (_, index) => ({
    id: chunkIdAt(chunks, index),
    size: chunkSizeAt(chunks, index),
  })).filter(({ id }) => lost.has(id));
}
