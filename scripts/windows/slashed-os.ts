/** `node:os` for tests on Windows: with slashes in paths. */
import os from 'node:os';

// oxlint-disable-next-line oxc/no-barrel-file -- everything else is Node's
export * from 'node:os';

export function tmpdir(): string {
  return os.tmpdir().replaceAll('\\', '/');
}

export function homedir(): string {
  return os.homedir().replaceAll('\\', '/');
}
