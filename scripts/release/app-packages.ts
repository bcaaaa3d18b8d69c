import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOT_FOR_RELEASE } from '../package/build-packages.ts';
import type { Worktree } from './worktree.ts';

export interface AppPackages {
  readonly folder: string;
  /** What the build has printed. */
  readonly output: string;
  /** Why they must not be published. */
  readonly objection: string | undefined;
}

export function buildAppPackages(tree: Worktree): AppPackages {
  const folder = join(tree.folder, 'dist/packages-release');
  const output = tree.npm('run', 'package', '--', '--out', folder);
  const objection = join(folder, NOT_FOR_RELEASE);
  return { folder, output, objection: existsSync(objection) ? readFileSync(objection, 'utf8').trim() : undefined };
}

/** Copies the packages, without the unpacked program and the notes of electron-builder. */
export function copyAppPackages({ folder }: AppPackages, out: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && !entry.name.startsWith('builder-') && entry.name !== NOT_FOR_RELEASE)
      copyFileSync(join(folder, entry.name), join(out, entry.name));
  }
}
