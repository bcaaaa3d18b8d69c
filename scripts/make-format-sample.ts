/**
 * Writes the frozen sample of the current format version: `bin/node scripts/make-format-sample.ts`.
 *
 * Blobs differ in each run (their IVs are random), and frozen samples must remain readable: an existing sample is
 * never overwritten. A change of format is a new version with its own sample.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { firstEpoch, type KeyRing } from '../src/format/crypto/keys.ts';
import { phraseOf } from '../src/format/crypto/recovery-phrase.ts';
import { SAMPLE_ENTRIES, sampleBytes } from '../test/unit/format/sample-set.ts';
import { sealSet } from '../test/unit/format/seal-set.ts';

const VERSION = 1;
const PASSPHRASE = 'correct horse battery staple';
const folder = path.join(import.meta.dirname, '../test/fixtures', `format-${VERSION}`);
if (existsSync(folder)) throw new Error(`${folder} is frozen`);
mkdirSync(path.join(folder, 'blobs'), { recursive: true });

// The first set is sealed in the first epoch, the second one after a rotation.
const first = firstEpoch(sampleBytes(32, 42));
const second: KeyRing = [{ epoch: 2, master: sampleBytes(32, 43) }, ...first];
writeFileSync(path.join(folder, 'first-phrase'), `${phraseOf(first[0].master)}\n`);
writeFileSync(path.join(folder, 'phrase'), `${phraseOf(second[0].master)}\n`);
writeFileSync(path.join(folder, 'passphrase'), `${PASSPHRASE}\n`);
for (const privateNames of [false, true]) {
  const footer = {
    created: 1_767_225_600_000,
    roots: ['/home/anna'],
    warnings: [{ path: '/home/anna/socket', reason: 'special-file' }],
    deviceId: 'device-1',
    backupSet: 'sample',
    privateNames,
    sequence: privateNames ? 2 : 1,
    previousTree: privateNames ? 'ab'.repeat(32) : undefined,
  };
  const sealed = await sealSet(privateNames ? second : first, SAMPLE_ENTRIES, footer, PASSPHRASE);
  const manifest = JSON.stringify({ files: sealed.files }, undefined, 2);
  writeFileSync(path.join(folder, privateNames ? 'manifest-private.json' : 'manifest.json'), `${manifest}\n`);
  for (const [digest, blob] of sealed.blobs) {
    const file = path.join(folder, 'blobs', digest);
    // What is stored already stays in its epoch.
    if (!existsSync(file)) writeFileSync(file, blob);
  }
}
