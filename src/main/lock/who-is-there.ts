import { systemPreferences } from 'electron';
import { HoldfastError } from '../../base/errors.ts';

/** Whether the system has a question that tells who is there; only macOS does. */
export function canAskSystem(): boolean {
  return process.platform === 'darwin' && systemPreferences.canPromptTouchID();
}

/**
 * Lets the system make sure that the person is the one who may.
 *
 * @param reason what for, as the end of “Holdfast is trying to …”
 * @throws HoldfastError `refused` where the person was not recognised, or gave it up
 */
export async function askSystem(reason: string): Promise<void> {
  try {
    await systemPreferences.promptTouchID(reason);
  } catch {
    throw new HoldfastError('refused', { problem: 'person' });
  }
}
