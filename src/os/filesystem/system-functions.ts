import type { RunWarning } from '../../jobs/run-warning.ts';
import { nativeFileSystem } from './native.ts';
import { windowsCalls } from './windows/calls.ts';

/**
 * Returns the warning that runs of an installation have whose module for system calls cannot be loaded: without it extended
 * attributes and access rights are neither read nor written.
 *
 * @param name of the set
 */
export function systemFunctionWarnings(name: string): readonly RunWarning[] {
  const isThere = process.platform === 'win32' ? windowsCalls() !== undefined : nativeFileSystem() !== undefined;
  return isThere ? [] : [{ path: name, reason: 'system-functions-missing' }];
}
