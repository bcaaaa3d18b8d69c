import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from '../npm.ts';
import { run } from './run.ts';

/** The folder of the tools that a lock file states, with the lock's hash in its name. */
export function toolsFolder(root: string): string {
  const lock = readFileSync(join(root, 'scripts/package/tools/package-lock.json'));
  return join(root, 'dist/package', `tools-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
}

/**
 * Installs electron-builder below `dist/`, unless the version of the lock is there. A checkout that builds no packages does not need its
 * three hundred packages. Builds may run at the same time: the folder gets its name once it is complete.
 *
 * @returns the program of electron-builder
 */
export function installTools(root: string, say: (line: string) => void): string {
  const folder = toolsFolder(root);
  if (!existsSync(folder)) {
    say('Installing electron-builder …');
    mkdirSync(join(root, 'dist/package'), { recursive: true });
    const partial = mkdtempSync(`${folder}.`);
    try {
      for (const file of ['package.json', 'package-lock.json']) {
        copyFileSync(join(root, 'scripts/package/tools', file), join(partial, file));
      }
      const [npm, ...words] = npmCommand();
      run(npm, [...words, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: partial });
      renameSync(partial, folder);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      // Another build has installed them in the meantime.
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, 'node_modules/electron-builder/cli.js');
}

/**
 * Returns the program that builds deb and rpm: ours, unless another one is named. That of the system builds other packages, which nothing tests.
 *
 * @param folder for the script that starts it
 */
export function fpmProgram(root: string, folder: string): string {
  const chosen = process.env['CUSTOM_FPM_PATH'];
  if (chosen) return chosen;
  const file = join(folder, 'fpm');
  const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const words = [process.execPath, join(root, 'scripts/package/fpm/main.ts')].map(quoted).join(' ');
  writeFileSync(file, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return file;
}
