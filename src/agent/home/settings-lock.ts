import { join } from 'node:path';
import { HoldfastError } from '../../base/errors/errors.ts';
import type { Home } from './home.ts';
import { ProcessLock } from '../../base/files/process-lock.ts';

/** A change of the settings takes milliseconds. */
const PATIENCE_MS = 10_000;

/** Locks the settings, from reading them to saving them. @throws HoldfastError `home_busy`, `home_unwritable` */
export function lockSettings(home: Home): Disposable {
  const lock = ProcessLock.take(join(home.folder, 'settings-lock.sqlite'), PATIENCE_MS);
  if (!lock) throw new HoldfastError('home_busy', { home: home.folder, command: 'a change of settings' });
  return lock;
}
