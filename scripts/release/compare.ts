import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAppPackages, copyAppPackages } from './app-packages.ts';
import { fileDigest } from './digests.ts';
import { Worktree } from './worktree.ts';

export interface Comparison {
  readonly file: string;
  /** SHA-256 of each build; `undefined` where there is no such file. */
  readonly digests: readonly (string | undefined)[];
  readonly isSame: boolean;
}

/** Two computers that have little in common besides their tools. */
const PLACES = [
  { name: 'a', umask: '022', environment: { TZ: 'UTC', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' } },
  {
    name: 'another-folder',
    umask: '077',
    environment: { TZ: 'Pacific/Auckland', LC_ALL: 'C', LANG: 'de_DE', XZ_OPT: '-9' },
  },
] as const;

interface ComparedPackages {
  /** Of the CLI and the service; all by default. */
  readonly formats: readonly string[];
  readonly withApp: boolean;
  /** A folder for the two builds, which stay there; by default they are removed. */
  readonly kept: string | undefined;
}

/** Builds the packages twice, from two checkouts of one commit, and compares them byte by byte. */
export function compareBuilds(
  root: string,
  commit: string,
  { formats, withApp, kept }: ComparedPackages,
): readonly Comparison[] {
  const words = formats.flatMap((format) => ['--only', format]);
  const out = kept ?? mkdtempSync(join(tmpdir(), 'holdfast-compare-'));
  try {
    const folders = PLACES.map((place) => {
      const folder = join(out, place.name);
      mkdirSync(folder, { recursive: true });
      using tree = Worktree.add(root, commit, place);
      tree.npm('ci');
      tree.npm('run', 'package:cli', '--', '--out', folder, ...words);
      if (withApp) copyAppPackages(buildAppPackages(tree), folder);
      return folder;
    });
    return comparisons(folders);
  } finally {
    if (kept === undefined) rmSync(out, { recursive: true, force: true });
  }
}

export function comparisons(folders: readonly string[]): readonly Comparison[] {
  const builds = folders.map(
    (folder) => new Map(readdirSync(folder).map((file) => [file, fileDigest(join(folder, file))])),
  );
  const files = [...new Set(builds.flatMap((build) => [...build.keys()]))].sort();
  return files.map((file) => {
    const digests = builds.map((build) => build.get(file));
    return { file, digests, isSame: digests.every((digest) => digest !== undefined && digest === digests[0]) };
  });
}
