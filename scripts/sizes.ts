/**
 * `npm run sizes -- FOLDER …`: the sizes of packages, and of the parts of the programs in them, as tables for docs/packages.md. A folder is that of
 * `npm run package`, `npm run package:cli` or a release; only `tar.gz` and `tar.xz` are looked into.
 */
import { parseArgs } from 'node:util';
import { sizeTables } from './package/sizes.ts';

const { positionals } = parseArgs({ allowPositionals: true });
if (positionals.length === 0) {
  console.error('usage: npm run sizes -- FOLDER …');
  process.exitCode = 2;
}
for (const folder of positionals) console.log(`${sizeTables(folder)}\n`);
