import { createRequire } from 'node:module';
import type { ProgramPaths } from '../app-paths.ts';
import { serveKeychain } from './serve-keychain.ts';
import { keychainChannel } from './keychain-channel.ts';

/** Passed by the command `holdfast` of a package. The words of the command line follow `--`. */
export const COMMAND_LINE = 'command-line';

/**
 * Runs the command line in this process, without a window: Electron runs no other program as Node
 * (docs/decisions/0201-hardened-program.md). The command line ends the process.
 */
export function runCommandLine({ commandLineProgram, keychainProgram }: ProgramPaths): void {
  const end = process.argv.indexOf('--');
  process.argv = [process.execPath, commandLineProgram, ...(end < 0 ? [] : process.argv.slice(end + 1))];
  serveKeychain(keychainChannel(), keychainProgram);
  createRequire(import.meta.url)(commandLineProgram);
}
