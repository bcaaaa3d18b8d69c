import { createForOwnerOnly } from '../base/files/owner-only.ts';
import type { Streams } from './output.ts';
import { useCompileCache } from './compile-cache.ts';
import { leaveDeletedFolder } from './working-folder.ts';

createForOwnerOnly();
leaveDeletedFolder();
useCompileCache();

const streams: Streams = { out: process.stdout, error: process.stderr };
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (!isTerminalGone(error, process.stderr)) throw error;
});
process.stdout.on('error', (error: NodeJS.ErrnoException) => outputFailed(error));

/** Ends the program with what it means that standard output takes no more. Returns for a terminal that is gone. */
function outputFailed(error: NodeJS.ErrnoException): void {
  if (isTerminalGone(error, process.stdout)) return;
  const isClosed = error.code === 'EPIPE';
  // A reader that needs no more of a list (`holdfast ls … | head`) closes the pipe, which is not a failure.
  if (isClosed && streams.isArchive !== true) process.exit(0);
  const reason = isClosed ? 'its reader ended before the archive was complete' : error.message;
  process.stderr.write(`holdfast: The standard output could not be written: ${reason}.\n`);
  process.exit(1);
}

/** SIGHUP ends the command then, in an orderly way. */
function isTerminalGone({ code }: NodeJS.ErrnoException, { isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && code === 'EIO';
}

// An event loop that empties before there is a result is a bug, not a success.
process.exitCode = 1;
void main();

async function main(): Promise<void> {
  const { runProgram } = await import('./program.ts');
  const exitCode = await runProgram(await exactWords(process.argv.slice(2)), streams, process.env);
  // Anything that still holds the event loop is irrelevant now, but output to a pipe must be flushed first.
  process.stdout.write('', (error) => {
    // A file on a full disk fails at once, and its event comes after this.
    const failure = process.stdout.errored ?? error;
    if (failure) outputFailed(failure);
    process.exit(exitCode);
  });
}

/** Loads what few commands need only if Node has decoded an argument with a replacement character. */
async function exactWords(words: readonly string[]): Promise<readonly string[]> {
  if (!words.some((word) => word.includes('\uFFFD'))) return words;
  const { exactArguments } = await import('../agent/input/exact-arguments.ts');
  return exactArguments(words);
}
