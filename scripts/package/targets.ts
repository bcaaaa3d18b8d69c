import { spawnSync } from 'node:child_process';
import { has } from './run.ts';

export const LINUX_PACKAGES = ['tar.gz', 'deb', 'rpm', 'AppImage'] as const;
export type LinuxPackage = (typeof LINUX_PACKAGES)[number];

/** The installer of Windows. On Linux it is built for tests. */
export const WINDOWS_INSTALLER = 'NSIS';

/** Where electron-builder fetches the runtime of an AppImage, and NSIS. */
const BINARIES = 'https://github.com/electron-userland/electron-builder-binaries';

/** Variables of electron-builder, for folders with what it would fetch. */
const NSIS_FOLDERS = ['ELECTRON_BUILDER_NSIS_DIR', 'ELECTRON_BUILDER_NSIS_RESOURCES_DIR'];

/** Returns why a kind of package cannot be built here; `undefined` if it can. */
export function missingFor(kind: LinuxPackage | typeof WINDOWS_INSTALLER): string | undefined {
  switch (kind) {
    case 'tar.gz':
      return undefined;
    case 'deb':
      return has('dpkg-deb') ? undefined : 'dpkg-deb is missing';
    case 'rpm':
      return has('rpmbuild') ? undefined : 'rpmbuild is missing (with Debian: apt-get install rpm)';
    case 'AppImage':
      if (process.env['APPIMAGE_TOOLS_PATH'] || canFetchBinaries()) return undefined;
      return `its runtime cannot be fetched from ${BINARIES}, and APPIMAGE_TOOLS_PATH is not set`;
    case WINDOWS_INSTALLER: {
      const isAtHand = NSIS_FOLDERS.every((name) => process.env[name]) || canFetchBinaries();
      return isAtHand
        ? undefined
        : `NSIS cannot be fetched from ${BINARIES}, and ${NSIS_FOLDERS.join(' and ')} are not set`;
    }
  }
}

function canFetchBinaries(): boolean {
  const script = `fetch(process.argv[1], { method: 'HEAD', signal: AbortSignal.timeout(3000) }).then(() => process.exit(0), () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', script, BINARIES], { stdio: 'ignore' }).status === 0;
}

/** Packages of other systems, which have to be built there. */
export const OTHERS: readonly { readonly name: string; readonly reason: string }[] = [
  { name: 'Windows (NSIS)', reason: 'run this on Windows', system: 'win32' },
  {
    name: 'macOS (dmg, zip)',
    reason: 'run this on macOS, which has the programs that sign and notarise',
    system: 'darwin',
  },
  { name: 'Linux', reason: 'run this on Linux, once for each processor', system: 'linux' },
].filter(({ system }) => system !== process.platform);
