import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import envPaths from 'env-paths';

// Reading, stripping and compiling the sources is most of what a short command does: a later start finds it done.
enableCompileCache(join(envPaths('holdfast', { suffix: '' }).cache, 'compiled'));

// A reader that has seen enough (`holdfast ls … | head`) closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { runProgram } = await import('./program.ts');
const exitCode = await runProgram(process.argv.slice(2), { out: process.stdout, error: process.stderr }, process.env);
// Whatever still holds the event loop has nothing to say any more; what was written to a pipe has to arrive first.
process.stdout.write('', () => process.exit(exitCode));
