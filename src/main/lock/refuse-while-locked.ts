import type { Answer } from '../../base/calls/answer.ts';

/** The calls of a locked window: those that unlock it, and nothing about the backups. */
const ALLOWED: ReadonlySet<string> = new Set([
  'shell.abilities',
  'lock.now',
  'lock.unlock',
  'lock.unlock-with-phrase',
  'lock.unlock-with-system',
]);

const LOCKED: Answer = { ok: false, failure: { code: 'refused', details: { problem: 'locked' } } };

/** Performs a call unless the window is locked before it, or was locked while it was performed. */
export async function refuseWhileLocked(
  isLocked: () => boolean,
  name: string,
  perform: () => Promise<Answer>,
): Promise<Answer> {
  if (ALLOWED.has(name)) return perform();
  if (isLocked()) return LOCKED;
  const answer = await perform();
  return isLocked() ? LOCKED : answer;
}
