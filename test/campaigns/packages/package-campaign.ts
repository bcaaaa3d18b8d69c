import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildPackages } from '../../../scripts/package/build-packages.ts';
import { missingFor } from '../../../scripts/package/targets.ts';
import { ELECTRON_CHOICE_VARIABLE } from '../../../scripts/electron/binary.ts';
import { Computer } from './computer.ts';
import { debSteps } from './deb-steps.ts';
import { rpmSteps } from './rpm-steps.ts';
import type { Step, Versions } from './step.ts';

const CHECKOUT = dirname(dirname(dirname(import.meta.dirname)));

const VERSIONS: Versions = { older: '0.9.1', newer: '0.9.2' };

export interface PackageStep {
  readonly step: string;
  readonly seconds: number;
  readonly found?: unknown;
}

/**
 * Installs the deb in a copy of this system, as an administrator would, and uses it as a person would: first backup through the window,
 * an update while the app runs and backs up, a refused downgrade, a restore, and the removal. Then the same with the rpm, where rpmbuild
 * is installed. Nothing of this system is changed.
 *
 * With `HOLDFAST_PACKAGES`, the packages of an earlier campaign are in that folder; those that are built are put there if it is empty.
 *
 * @throws Error with the command that failed, and its output
 */
export async function runPackageCampaign(onStep: (step: PackageStep) => void): Promise<void> {
  const outside = mkdtempSync(join(tmpdir(), 'holdfast-packages-'));
  chmodSync(outside, 0o755);
  const run = async ([step, work]: Step): Promise<void> => {
    const begun = performance.now();
    const found = await work();
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    onStep({ step, seconds, ...(found === undefined ? {} : { found }) });
  };
  try {
    const lacking = missingFor('rpm');
    await run(['two versions are built', () => build(outside, lacking === undefined ? ['deb', 'rpm'] : ['deb'])]);
    {
      await using computer = await Computer.start(outside);
      for (const step of debSteps(computer, VERSIONS, filesOf('deb'))) await run(step);
    }
    if (lacking !== undefined) {
      onStep({ step: 'rpm: left out', seconds: 0, found: lacking });
      return;
    }
    await using computer = await Computer.start(outside);
    for (const step of rpmSteps(computer, VERSIONS, filesOf('rpm'), filesOf('deb').older)) await run(step);
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

type Kind = 'deb' | 'rpm';

function fileOf(version: string, kind: Kind): string {
  return `holdfast-app_${version}.${kind}`;
}

function filesOf(kind: Kind): Versions {
  return { older: fileOf(VERSIONS.older, kind), newer: fileOf(VERSIONS.newer, kind) };
}

async function build(outside: string, kinds: readonly Kind[]): Promise<unknown> {
  const built = process.env['HOLDFAST_PACKAGES'];
  const names = kinds.flatMap((kind) => Object.values(filesOf(kind)) as readonly string[]);
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
