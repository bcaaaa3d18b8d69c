/**
 * `npm run package`: builds the packages of the desktop app that this computer can, and says which it cannot (docs/packages.md).
 *
 *     npm run package -- [--only deb,rpm,tar.gz] [--out FOLDER] [--version X.Y.Z] [--for-tests]
 *
 * On Linux, `--only NSIS` builds the installer of Windows for tests, which takes Wine and NSIS.
 *
 * With `--for-tests` the packages are built fast instead of small, a DevTools port opens their window to tests, and they are
 * marked as not for release.
 */
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages } from './package/build-packages.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    out: { type: 'string' },
    version: { type: 'string' },
    'for-tests': { type: 'boolean', default: false },
  },
});
const root = dirname(import.meta.dirname);
try {
  await buildPackages({
    root,
    out: values.out === undefined ? join(root, 'dist/packages') : resolve(values.out),
    only: values.only?.split(','),
    version: values.version,
    isForTests: values['for-tests'],
    say: (line) => console.log(line),
  });
} catch (error) {
  console.error(`The packages cannot be built: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
