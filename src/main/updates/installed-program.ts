import { app } from 'electron';
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HIDDEN } from '../system/login-item.ts';
import { PREVIOUS_VERSIONS } from '../file-managers/requested-path.ts';
import { ownCommand } from '../system/own-command.ts';
import type { FileIdentity } from './program-watch.ts';

/** Returns what identifies the program of this process, unless it was removed. */
export function identifyProgram(): FileIdentity | undefined {
  return statSync(process.execPath, { throwIfNoEntry: false });
}

/** Returns whether this user may replace the program. */
export function isProgramWritable(): boolean {
  try {
    accessSync(dirname(process.execPath), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts the program that is installed now, with the options of this one. The caller ends this process. */
export function startInstalledProgram(): void {
  // Otherwise the new process would show the window of this one, and end.
  app.releaseSingleInstanceLock();
  const [program, ...words] = [...ownCommand(process.env), ...optionsOf(process.argv.slice(1))];
  const child = spawn(program!, words, { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}

/** Leaves out what was meant for one start. */
function optionsOf(words: readonly string[]): readonly string[] {
  return words.filter(
    (word, index) =>
      word.startsWith('--') && word !== HIDDEN && word !== PREVIOUS_VERSIONS && words[index - 1] !== PREVIOUS_VERSIONS,
  );
}
