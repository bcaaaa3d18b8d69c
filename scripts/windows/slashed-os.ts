/** `node:os` for tests on Windows: with slashes in paths. */
import os from 'node:os';

export const {
  arch,
  availableParallelism,
  constants,
  cpus,
  EOL,
  freemem,
  getPriority,
  hostname,
  loadavg,
  networkInterfaces,
  platform,
  release,
  setPriority,
  totalmem,
  type,
  uptime,
  userInfo,
  version,
} = os;

export function tmpdir(): string {
  return os.tmpdir().replaceAll('\\', '/');
}

export function homedir(): string {
  return os.homedir().replaceAll('\\', '/');
}
