import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { has, run } from './run.ts';

/**
 * Installs electron-builder below `dist/`, unless the version of the lock is there. A checkout that builds no packages does not need its
 * three hundred packages.
 *
 * @returns the program of electron-builder
 */
export function installTools(root: string, say: (line: string) => void): string {
  const from = join(root, 'scripts/package/tools');
  const folder = join(root, 'dist/package/tools');
  const installed = join(folder, 'installed-lock.json');
  const lock = readFileSync(join(from, 'package-lock.json'), 'utf8');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
    say('Installing electron-builder …');
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(from, file), join(folder, file));
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
    writeFileSync(installed, lock);
  }
  return join(folder, 'node_modules/electron-builder/cli.js');
}

/**
 * Returns the program that builds deb and rpm: the real fpm where it is installed, and else ours.
 *
 * @param folder for the script that starts it
 */
export function fpmProgram(root: string, folder: string): string {
  const chosen = process.env['CUSTOM_FPM_PATH'];
  if (chosen) return chosen;
  if (has('fpm')) return run('which', ['fpm']).trim();
  const file = join(folder, 'fpm');
  const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const words = [process.execPath, join(root, 'scripts/package/fpm/main.ts')].map(quoted).join(' ');
  writeFileSync(file, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return file;
}
