import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { buildPackages } from '../../../../scripts/package/build-packages.ts';
import { missingFor, WINDOWS_INSTALLER } from '../../../../scripts/package/targets.ts';
import { Wine, WINE_FOLDER } from '../../../../scripts/windows/wine.ts';
import { ELECTRON_CHOICE_VARIABLE } from '../../../../scripts/electron/binary.ts';
import { appImageSteps } from './appimage-steps.ts';
import { Computer } from './computer.ts';
import { debSteps } from './deb-steps.ts';
import { nsisSteps, offerWine } from './nsis-steps.ts';
import { rpmSteps } from './rpm-steps.ts';
import type { Step, Versions } from './step.ts';
import { UpdateServer } from './update-server.ts';

const CHECKOUT = dirname(dirname(dirname(dirname(import.meta.dirname))));

const KINDS = ['AppImage', 'deb', 'rpm', WINDOWS_INSTALLER] as const;
type InstalledKind = 'deb' | 'rpm';

const VERSIONS: Versions = { older: '0.9.1', newer: '0.9.2' };

export interface PackageStep {
  readonly step: string;
  readonly seconds: number;
  readonly found?: unknown;
}

/**
 * Installs the deb in a copy of this system, as an administrator would, and uses it as a person would: first backup through the window,
 * an update while the app runs and backs up, a refused downgrade, a restore, and the removal. The same with the rpm, where rpmbuild
 * is installed, and with the AppImage, where its runtime is at hand. Where NSIS is at hand, the installer of Windows is used under Wine, by the
 * command line. Nothing of this system is changed.
 *
 * With `HOLDFAST_PACKAGES`, the packages of an earlier campaign are in that folder; those that are built are put there if it is empty.
 *
 * @param only one kind of package; all by default @throws Error with the command that failed, and its output
 */
export async function runPackageCampaign(only: string | undefined, onStep: (step: PackageStep) => void): Promise<void> {
  const outside = mkdtempSync(join(tmpdir(), 'holdfast-packages-'));
  chmodSync(outside, 0o755);
  const run = async ([step, work]: Step): Promise<void> => {
    const begun = performance.now();
    const found = await work();
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    onStep({ step, seconds, ...(found === undefined ? {} : { found }) });
  };
  try {
    for (const kind of KINDS) {
      if (only !== undefined && kind !== only) continue;
      const lacking = missingFor(kind);
      if (lacking !== undefined) onStep({ step: `${kind}: left out`, seconds: 0, found: lacking });
      else if (kind === 'AppImage') await useAppImage(outside, run);
      else if (kind === WINDOWS_INSTALLER) await useInstaller(outside, run);
      else await usePackage(outside, kind, run);
    }
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

/** The AppImages look for updates at a server that is started for them. */
async function useAppImage(outside: string, run: (step: Step) => Promise<void>): Promise<void> {
  await using server = await UpdateServer.start(join(outside, 'updates'));
  Object.assign(process.env, server.variables);
  const builds: Versions = { older: join(outside, 'older'), newer: join(outside, 'newer') };
  const files: Versions = {
    older: `Holdfast-${VERSIONS.older}-x86_64.AppImage`,
    newer: `Holdfast-${VERSIONS.newer}-x86_64.AppImage`,
  };
  try {
    await run(['AppImage: two versions are built', () => buildAppImages(outside, builds, files)]);
  } finally {
    for (const name of Object.keys(server.variables)) delete process.env[name];
  }
  await using computer = await Computer.start(outside);
  for (const step of appImageSteps(computer, server, builds, files)) await run(step);
}

async function buildAppImages(outside: string, builds: Versions, files: Versions): Promise<undefined> {
  process.env[ELECTRON_CHOICE_VARIABLE] ??= 'registry-copy';
  for (const which of ['older', 'newer'] as const) {
    const options = { root: CHECKOUT, version: VERSIONS[which], isForTests: true, say: () => undefined };
    await buildPackages({ ...options, out: builds[which], only: ['AppImage'] });
    copyFileSync(join(builds[which], files[which]), join(outside, files[which]));
  }
  return undefined;
}

/** In a Wine of its own, which runs programs of 32 bits as installers are, with a new drive C. */
async function useInstaller(outside: string, run: (step: Step) => Promise<void>): Promise<void> {
  using wine = new Wine(`${WINE_FOLDER}-installer`, { runs32Bits: true });
  const { PATH, TMPDIR } = process.env;
  const files: Versions = {
    older: join(outside, 'older', `Holdfast-${VERSIONS.older}-x64.exe`),
    newer: join(outside, 'newer', `Holdfast-${VERSIONS.newer}-x64.exe`),
  };
  try {
    await run([
      'NSIS: Wine is set up',
      async () => {
        wine.forget();
        wine.setUp(undefined);
        wine.share(outside);
        return { version: wine.version() };
      },
    ]);
    offerWine(wine, join(outside, 'bin'));
    // What electron-builder passes to Wine has to be visible there.
    Object.assign(process.env, { PATH: `${join(outside, 'bin')}:${PATH}`, TMPDIR: outside });
    await run(['NSIS: two versions are built', () => buildInstallers(files)]);
  } finally {
    process.env['PATH'] = PATH;
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
  for (const step of nsisSteps(wine, outside, VERSIONS, files)) await run(step);
}

async function buildInstallers(files: Versions): Promise<unknown> {
  const built = process.env['HOLDFAST_PACKAGES'];
  const kept = (which: keyof Versions): string => join(built ?? '', basename(files[which]));
  if (built !== undefined && existsSync(kept('older')) && existsSync(kept('newer'))) {
    for (const which of ['older', 'newer'] as const) {
      mkdirSync(dirname(files[which]), { recursive: true });
      copyFileSync(kept(which), files[which]);
    }
    return { built };
  }
  process.env[ELECTRON_CHOICE_VARIABLE] ??= 'registry-copy';
  for (const which of ['older', 'newer'] as const) {
    const options = { root: CHECKOUT, version: VERSIONS[which], isForTests: true, say: () => undefined };
    await buildPackages({ ...options, out: dirname(files[which]), only: [WINDOWS_INSTALLER] });
    if (built !== undefined) copyFileSync(files[which], kept(which));
  }
  return undefined;
}

async function usePackage(outside: string, kind: InstalledKind, run: (step: Step) => Promise<void>): Promise<void> {
  await run([`${kind}: two versions are built`, () => build(outside)]);
  await using computer = await Computer.start(outside);
  const files = filesOf(kind);
  const steps =
    kind === 'deb' ? debSteps(computer, VERSIONS, files) : rpmSteps(computer, VERSIONS, files, filesOf('deb').older);
  for (const step of steps) await run(step);
}

function fileOf(version: string, kind: InstalledKind): string {
  return `holdfast-app_${version}.${kind}`;
}

function filesOf(kind: InstalledKind): Versions {
  return { older: fileOf(VERSIONS.older, kind), newer: fileOf(VERSIONS.newer, kind) };
}

/** Builds both kinds at once, since the rpm is compared with the deb of the same build. */
async function build(outside: string): Promise<unknown> {
  const kinds: readonly InstalledKind[] = missingFor('rpm') === undefined ? ['deb', 'rpm'] : ['deb'];
  const names = kinds.flatMap((kind) => Object.values(filesOf(kind)) as readonly string[]);
  if (names.every((name) => existsSync(join(outside, name)))) return undefined;
  const built = process.env['HOLDFAST_PACKAGES'];
  if (built !== undefined && names.every((name) => existsSync(join(built, name)))) {
    for (const name of names) copyFileSync(join(built, name), join(outside, name));
    return { built };
  }
  process.env[ELECTRON_CHOICE_VARIABLE] ??= 'registry-copy';
  for (const version of Object.values(VERSIONS) as readonly string[]) {
    const out = join(outside, 'build');
    await buildPackages({ root: CHECKOUT, out, only: kinds, version, isForTests: true, say: () => undefined });
    for (const kind of kinds) {
      const file = readdirSync(out).find((name) => name.endsWith(`.${kind}`))!;
      copyFileSync(join(out, file), join(outside, fileOf(version, kind)));
    }
    rmSync(out, { recursive: true });
  }
  if (built !== undefined) for (const name of names) copyFileSync(join(outside, name), join(built, name));
  return undefined;
}
