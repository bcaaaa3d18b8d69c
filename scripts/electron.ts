/**
 * Says where the Electron is that `npm start` and the tests take, and fetches it where it is missing:
 *
 *     node scripts/electron.ts [--optional]
 *
 * With `--optional`, as `npm test` runs it, it says so where there is none, and that is no failure.
 */
import { electronBinary } from './electron/binary.ts';

try {
  console.log(await electronBinary((line) => console.error(line)));
} catch (error) {
  console.error(
    `There is no Electron, so the desktop app cannot start: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = process.argv.includes('--optional') ? 0 : 1;
}
