import { useCompileCache } from './compile-cache.ts';

useCompileCache();

// A reader that has seen enough (`holdfast ls … | head`) closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// An event loop that empties before there is a result is a bug, not a success.
process.exitCode = 1;
void main();

async function main(): Promise<void> {
  const { runProgram } = await import('./program.ts');
  const exitCode = await runProgram(process.argv.slice(2), { out: process.stdout, error: process.stderr }, process.env);
  // Whatever still holds the event loop has nothing to say any more; what was written to a pipe has to arrive first.
  process.stdout.write('', () => process.exit(exitCode));
}
