/**
 * Stands in for fpm: electron-builder has it build a deb or rpm of a folder, which dpkg-deb and rpmbuild can do. Started by the script that `npm run package` writes (scripts/package/tools.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDeb } from './deb.ts';
import { parseOptions } from './options.ts';
import { buildRpm } from './rpm.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-fpm-'));
try {
  const request = parseOptions(process.argv.slice(2), process.env['HOLDFAST_PACKAGE_DESCRIPTION']);
  rmSync(request.file, { force: true });
  if (request.kind === 'deb') buildDeb(request, folder);
  else buildRpm(request, folder);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
