/**
 * Makes a release (docs/releasing.md):
 *
 *     npm run release -- --version 1.2.3 [--dry-run] [--without-app] [--out DIR]
 *     npm run release -- compare [--only tar] [--without-app] [--out DIR]
 *
 * The second builds the newest commit twice and compares the packages byte by byte; with `--out` both builds stay in a folder.
 */
import { execFileSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareBuilds } from './release/compare.ts';
import { makeRelease } from './release/release.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    'without-app': { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
  },
});
const root = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim();
try {
  if (positionals[0] === 'compare') compare();
  else if (values.version !== undefined && positionals.length === 0) release(values.version);
  else
    throw new Error(
      'usage: npm run release -- --version X.Y.Z [--dry-run] [--without-app] [--out DIR] | compare [--only FORMAT] [--without-app] [--out DIR]',
    );
} catch (error) {
  console.error(`No release: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof Error && error.cause instanceof Error) console.error(error.cause.message);
  process.exitCode = 1;
}

function release(version: string): void {
  makeRelease({
    root,
    version,
    out: resolve(values.out ?? join(dirname(root), `holdfast-${version}`)),
    isDryRun: values['dry-run'],
    withApp: !values['without-app'],
    environment: process.env,
    say: (line) => console.log(line),
  });
}

function compare(): void {
  const results = compareBuilds(root, 'HEAD', {
    formats: values.only,
    withApp: !values['without-app'],
    kept: values.out === undefined ? undefined : resolve(values.out),
  });
  for (const { file, digests, isSame } of results) {
    console.log(`${isSame ? 'same     ' : 'DIFFERENT'}  ${file}  ${isSame ? digests[0]! : digests.join(' ')}`);
  }
  if (results.length === 0 || !results.every(({ isSame }) => isSame)) process.exitCode = 1;
}
