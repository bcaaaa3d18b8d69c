import { createForOwnerOnly } from '../base/owner-only.ts';
import { useCompileCache } from './compile-cache.ts';
import { leaveDeletedFolder } from './working-folder.ts';

createForOwnerOnly();
leaveDeletedFolder();
useCompileCache();

// A reader that needs no more output (`holdfast ls … | head`) closes the pipe, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// An event loop that empties before there is a result is a bug, not a success.
process.exitCode = 1;
void main();

async function main(): Promise<void> {
  const { runProgram } = await import('./program.ts');
  const exitCode = await runProgram(process.argv.slice(2), { out: process.stdout, error: process.stderr }, process.env);
  // Anything that still holds the event loop is irrelevant now, but output to a pipe must be flushed first.
  process.stdout.write('', () => process.exit(exitCode));
}
