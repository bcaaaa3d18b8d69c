import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { electronBinary, electronForWindows } from '../electron/binary.ts';
import { officialElectron } from '../electron/official.ts';
import { archiveOf } from './archive.ts';
import { Asar } from './asar.ts';
import { linuxDocuments } from './linux-documents.ts';
import { CATEGORIES, COMMENT, DESCRIPTION, desktopEntry } from './linux-texts.ts';
import { addNeededSystem } from './mac-system.ts';
import { metainfo } from './metainfo.ts';
import { noticesText } from './notices.ts';
import { run } from './run.ts';
import { sizeTables } from './sizes.ts';
import { LINUX_PACKAGES, missingFor, OTHERS, WINDOWS_INSTALLER, type LinuxPackage } from './targets.ts';
import { fpmProgram, installTools } from './tools.ts';
import { releaseInfo, updateMetadata } from './update-settings.ts';
import { modulesForWindows, settingsForWindows, variablesForWindows } from './windows-parts.ts';

export interface PackageOptions {
  /** The checkout. */
  readonly root: string;
  /** The folder for the packages, which is replaced. */
  readonly out: string;
  /** Kinds of packages; all by default. The installer of Windows is built by itself. */
  readonly only: readonly string[] | undefined;
  /** Instead of the version in package.json. */
  readonly version: string | undefined;
  readonly isForTests: boolean;
  readonly say: (line: string) => void;
}

interface Manifest {
  readonly version: string;
  readonly homepage: string;
}

/** In the folder of packages that must not be published. */
export const NOT_FOR_RELEASE = 'NOT-FOR-RELEASE.txt';

const METAINFO = 'org.holdfast.Holdfast.metainfo.xml';

/** Builds the packages of the desktop app for this system. @throws Error if one that should be built cannot be */
export async function buildPackages(options: PackageOptions): Promise<void> {
  const parent = join(options.root, 'dist/package');
  mkdirSync(parent, { recursive: true });
  // Builds of several versions may run at the same time.
  const parts = mkdtempSync(join(parent, 'build-'));
  try {
    await buildFrom(parts, options);
  } finally {
    rmSync(parts, { recursive: true, force: true });
  }
}

/** @param parts a folder for the files that are made for this build */
async function buildFrom(parts: string, options: PackageOptions): Promise<void> {
  const { root, out, say, isForTests } = options;
  const isForWindows = process.platform === 'linux' && options.only?.includes(WINDOWS_INSTALLER) === true;
  const electron = dirname(await (isForWindows ? electronForWindows(say) : electronBinary(say)));
  const isOfficial = officialElectron() !== undefined && dirname(officialElectron()!) === electron;
  const tools = installTools(root, say);
  run(process.execPath, [join(root, 'scripts/build.ts')], { cwd: root });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const version = options.version ?? manifest.version;
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? commitTime(root);
  writeFileSync(join(parts, 'THIRD-PARTY-NOTICES.txt'), noticesText(root));
  const day = new Date(Number(epoch) * 1000).toISOString().slice(0, 10);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  writeFileSync(join(parts, METAINFO), metainfo(changelog, version, manifest.homepage, day));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const environment = {
    ...process.env,
    SOURCE_DATE_EPOCH: epoch,
    HOLDFAST_BUNDLE: readFileSync(join(root, 'dist/current'), 'utf8').trim(),
    HOLDFAST_PACKAGE_PARTS: relative(root, parts),
    HOLDFAST_PACKAGE_FAST: isForTests ? '1' : '',
    HOLDFAST_PACKAGE_DESCRIPTION: DESCRIPTION,
    // What it would fetch from GitHub is either at hand or not built.
    CUSTOM_FPM_PATH: fpmProgram(root, parts),
    ...(isForWindows && variablesForWindows(isForTests)),
  };
  const modules = isForWindows ? await modulesForWindows(root, parts) : undefined;
  const documents = linuxDocuments({ root, parts, version, epoch: Number(epoch), changelog });
  const systemFiles = [
    `${join(parts, METAINFO)}=/usr/share/metainfo/${METAINFO}`,
    'scripts/package/linux/holdfast-app=/usr/bin/holdfast-app',
    ...documents.both,
  ];
  const base = join(root, 'electron-builder.yml');
  const builder = (...words: readonly string[]): void => {
    const metadata = {
      version,
      holdfast: { ...updateMetadata(process.env), ...(isForTests && { allowsDevTools: true }) },
    };
    const settings = {
      extends: isForWindows ? settingsForWindows(base, parts) : base,
      directories: { output: out },
      electronVersion: readFileSync(join(electron, 'version'), 'utf8').trim().replace(/^v/, ''),
      electronDist: electron,
      ...(modules !== undefined && { files: [{ from: modules, to: 'node_modules' }] }),
      // electron-builder makes the description the comment of the entry in menus.
      linux: { category: CATEGORIES, description: COMMENT, desktop: { entry: desktopEntry() } },
      deb: { fpm: [...systemFiles, ...documents.debian] },
      rpm: { fpm: systemFiles },
      extraMetadata: metadata,
      ...(isForTests && { compression: 'store' }),
      publish: publishSettings(process.env),
      releaseInfo: releaseInfo(changelog, version, epoch),
    };
    const file = join(parts, 'electron-builder.json');
    writeFileSync(file, JSON.stringify(settings, undefined, 2));
    run(process.execPath, [tools, '--config', file, '--publish', 'never', ...words], { cwd: root, env: environment });
  };
  if (isForWindows) builder('--win', 'nsis', '--x64');
  else if (process.platform === 'linux') buildForLinux(options, builder, { version, epoch });
  else builder(process.platform === 'darwin' ? '--mac' : '--win');
  if (process.platform === 'darwin') addNeededSystem(out, readFileSync(base, 'utf8'));
  if (isForTests || !isOfficial) {
    const reason = isForTests
      ? 'These packages are for tests.'
      : 'These packages contain a third party’s copy of Electron.';
    writeFileSync(join(out, NOT_FOR_RELEASE), `${reason} Do not publish them.\n`);
    say(`${reason} Do not publish them.`);
  }
  say(sizeTables(out));
  for (const { name, reason } of OTHERS) say(`not built: ${name}: ${reason}`);
}

/** Builds the program folder once, and all kinds of packages of it. */
function buildForLinux(
  { out, only, say }: PackageOptions,
  builder: (...words: readonly string[]) => void,
  { version, epoch }: { readonly version: string; readonly epoch: string },
): void {
  builder('--linux', 'dir');
  const unpacked = join(out, 'linux-unpacked');
  const damaged = new Asar(join(unpacked, 'resources/app.asar')).damaged();
  // Whatever changes while electron-builder packs it, shifts everything after it.
  if (damaged.length > 0) throw new Error(`the checkout was changed during the build: ${damaged[0]} is damaged`);
  // Names the folder for downloads. The server and its keys are in the archive.
  const url = process.env['HOLDFAST_UPDATE_URL'];
  if (url) {
    const settings = { provider: 'generic', url, updaterCacheDirName: 'holdfast-updater' };
    writeFileSync(join(unpacked, 'resources/app-update.yml'), JSON.stringify(settings));
  }
  const wanted = (kind: LinuxPackage): boolean => only?.includes(kind) ?? true;
  for (const kind of LINUX_PACKAGES.filter(wanted)) {
    const missing = missingFor(kind);
    if (missing !== undefined) {
      if (only) throw new Error(`${kind}: ${missing}`);
      say(`not built: ${kind}: ${missing}`);
      continue;
    }
    if (kind === 'tar.gz') archiveOf(unpacked, `Holdfast-${version}-${process.arch}`, epoch);
    else builder('--linux', kind, '--prepackaged', unpacked);
  }
}

/** The time of the newest commit, in seconds. */
function commitTime(root: string): string {
  return run('git', ['log', '-1', '--format=%ct'], { cwd: root }).trim();
}

/** Has electron-builder write `latest*.yml`, if there is a server of updates. */
function publishSettings(environment: NodeJS.ProcessEnv): object | null {
  const url = environment['HOLDFAST_UPDATE_URL'];
  return url === undefined || url === '' ? null : { provider: 'generic', url };
}
