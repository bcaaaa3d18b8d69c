import { app } from 'electron';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HIDDEN } from '../system/login-item.ts';
import { PREVIOUS_VERSIONS } from '../file-managers/requested-path.ts';
import { ownCommand } from '../system/own-command.ts';
import { ownImage } from '../system/own-image.ts';
import type { FileIdentity } from './program-watch.ts';

/** Returns what identifies the program of this process, unless it was removed. */
export function identifyProgram(): FileIdentity | undefined {
  return statSync(programFile(), { throwIfNoEntry: false });
}

/** Returns whether this user may replace the program. */
export function isProgramWritable(): boolean {
  try {
    accessSync(dirname(programFile()), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the file that is replaced by an update: in an AppImage not the program, which is inside it. */
function programFile(): string {
  return ownImage(process.env) ?? process.execPath;
}

/**
 * Starts the program that is installed now, with the options of this one. The caller ends this process.
 *
 * @throws Error if the system does not start it
 */
export async function startInstalledProgram(): Promise<void> {
  // Otherwise the new process would show the window of this one, and end.
  app.releaseSingleInstanceLock();
  const [program, ...words] = [...ownCommand(process.env), ...optionsOf(process.argv.slice(1))];
  const child = spawn(program!, words, { detached: true, stdio: 'ignore' });
  try {
    await once(child, 'spawn');
  } catch (error) {
    app.requestSingleInstanceLock();
    throw error;
  }
  child.unref();
}

/** Leaves out what was meant for one start. */
function optionsOf(words: readonly string[]): readonly string[] {
  return words.filter(
    (word, index) =>
      word.startsWith('--') && word !== HIDDEN && word !== PREVIOUS_VERSIONS && words[index - 1] !== PREVIOUS_VERSIONS,
  );
}
