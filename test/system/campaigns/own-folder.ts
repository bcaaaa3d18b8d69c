import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CAMPAIGN_FOLDER, FAST_PARENT } from '../../helpers/fast-folder-parent.ts';
import { campaignFolderName, removeLeftOver } from './left-over.ts';

// Imported first by a program that runs campaigns: gives it temporary folders of its own, on disk and in memory, which are removed when
// it ends. If it was killed, the next one removes them.

const parents = [...new Set([tmpdir(), FAST_PARENT])];
for (const parent of parents) removeLeftOver(parent);
const folders = parents.map((parent) => join(parent, campaignFolderName()));
// PostgreSQL and Ceph run as other users, who have to be able to enter.
for (const folder of folders) mkdirSync(folder, { mode: 0o711 });
process.env['TMPDIR'] = folders[0];
process.env[CAMPAIGN_FOLDER] = folders.at(-1);
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
