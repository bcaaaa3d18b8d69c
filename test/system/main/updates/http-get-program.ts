/** A program of Electron, `electron THIS -- FOLDER ADDRESS TIMES PATIENCE`: downloads into the folder again and again, and prints how each download ended. */
import { app } from 'electron';
import { createHash } from 'node:crypto';
import { rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { downloadBounded } from '../../../../src/main/updates/bounded-download.ts';
import { httpGet } from '../../../../src/main/updates/http-get.ts';
import { problemOf } from '../../../../src/main/updates/update-problem.ts';

const CONTENT = 'the next version';

const [folder = '', address = '', times, patience] = process.argv.slice(process.argv.indexOf('--') + 1);
const file = join(folder, 'next');

// Electron would show it in a dialog, and wait.
process.on('uncaughtException', (error) => {
  writeSync(2, error.stack ?? error.message);
  app.exit(1);
});
app.once('ready', () => void downloadAll());

async function downloadAll(): Promise<void> {
  for (let count = 0; count < Number(times); count++) writeSync(1, `${await download()}\n`);
  app.exit();
}

async function download(): Promise<string> {
  try {
    await downloadBounded({
      get: httpGet,
      address,
      file,
      announced: { size: CONTENT.length, sha512: createHash('sha512').update(CONTENT).digest('base64') },
      signal: new AbortController().signal,
      patienceMs: Number(patience),
      longestMs: 120_000,
      onBytes: () => undefined,
    });
    rmSync(file);
    return 'downloaded';
  } catch (error) {
    return problemOf(error, 'install');
  }
}
