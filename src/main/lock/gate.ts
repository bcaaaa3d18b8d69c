import type { Answer } from '../../base/calls/answer.ts';

/** What a locked window may ask for: nothing of the backups, and what opens it. */
const ALLOWED: ReadonlySet<string> = new Set([
  'shell.abilities',
  'lock.now',
  'lock.unlock',
  'lock.unlock-with-phrase',
  'lock.unlock-with-system',
]);

const LOCKED: Answer = { ok: false, failure: { code: 'refused', details: { problem: 'locked' } } };

/** Has a call answered, unless the window is locked; also where it was locked while the answer was on its way. */
export async function whileOpen(isLocked: () => boolean, name: string, ask: () => Promise<Answer>): Promise<Answer> {
  if (ALLOWED.has(name)) return ask();
  if (isLocked()) return LOCKED;
  const answer = await ask();
  return isLocked() ? LOCKED : answer;
}
