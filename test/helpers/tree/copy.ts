import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { windowsFileSystem } from '../../../src/os/filesystem/windows/windows-file-system.ts';

/** Copies a file or a folder with its times, modes and owners. */
export function copyTree(from: string, to: string): void {
  const windows = windowsFileSystem();
  if (!windows) {
    execFileSync('cp', ['-a', from, to]);
    return;
  }
  cpSync(from, to, { recursive: true });
  const names = lstatSync(from).isDirectory() ? readdirSync(from, { recursive: true, encoding: 'utf8' }) : [];
  // Node sets times in milliseconds.
  for (const name of ['', ...names])
    windows.setTimes(join(to, name), { modified: lstatSync(join(from, name), { bigint: true }).mtimeNs });
}
