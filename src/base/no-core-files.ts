import { spawnSync } from 'node:child_process';

/**
 * Asks the system for no core files of this process and of those that it starts: they would contain the keys of the backups. Node has no
 * call for it, so on Linux a program of the system does it. Where that is missing, the system's own settings remain.
 */
export function preventCoreFiles(): void {
  if (process.platform !== 'linux') return;
  spawnSync('prlimit', ['--pid', String(process.pid), '--core=0:'], { stdio: 'ignore' });
}
