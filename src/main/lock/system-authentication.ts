import { systemPreferences } from 'electron';
import { HoldfastError } from '../../base/errors/errors.ts';

/** Returns whether the system can verify the person; only macOS can, by Touch ID. */
export function canAuthenticate(): boolean {
  return process.platform === 'darwin' && systemPreferences.canPromptTouchID();
}

/**
 * Lets the system verify the person.
 *
 * @param reason the end of the sentence “Holdfast is trying to …”
 * @throws HoldfastError `refused` when the person was not recognised or cancelled
 */
export async function authenticate(reason: string): Promise<void> {
  try {
    await systemPreferences.promptTouchID(reason);
  } catch {
    throw new HoldfastError('refused', { problem: 'person' });
  }
}
