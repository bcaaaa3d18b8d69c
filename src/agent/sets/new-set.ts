import { lstatSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isInside, realPathOf } from '../../engine/filesystem/real-path.ts';
import { defaultPresets, isPresetName, PRESETS } from '../../engine/scan/presets.ts';
import { HoldfastError, systemCodeOf, wrongUsage } from '../../base/errors.ts';
import type { Conditions, Limits, Verification } from '../../ipc/contract/set-rules.ts';
import type { ConfiguredSet } from '../home/settings.ts';
import { parseSchedule } from './schedule-spec.ts';

/** What a person asks for. */
export interface NewSet {
  readonly name: string;
  /** Files or folders, absolute or relative to the working directory. */
  readonly paths: readonly string[];
  readonly excludes: readonly string[];
  /** Without a list, the presets of this operating system. */
  readonly presets?: readonly string[];
  readonly oneFileSystem: boolean;
  readonly privateNames: boolean;
  readonly schedule?: string;
  readonly conditions?: Conditions;
  readonly limits?: Limits;
  readonly verification?: Verification;
}

const NAME_LENGTH = 100;

/**
 * Checks what is asked for, against the disk too.
 *
 * @param ownFolders absolute paths where Holdfast keeps its own data
 * @param before roots that the set has already: these may be away, as a disk that is not connected
 * @throws HoldfastError `usage` (name, nested paths, preset, schedule, a path within an own folder), `source_missing`,
 *   `source_unreadable`
 */
export function configuredSetOf(
  request: NewSet,
  ownFolders: readonly string[],
  before: readonly string[] = [],
): ConfiguredSet {
  const { name, excludes, oneFileSystem, privateNames, schedule, conditions, limits, verification } = request;
  checkName(name);
  if (request.paths.length === 0) throw wrongUsage({ problem: 'set-without-paths' });
  const roots = request.paths.map((path) => existingRoot(path, before));
  checkNesting(roots);
  for (const root of roots) checkOutside(root, ownFolders);
  const presets = [...(request.presets ?? defaultPresets(process.platform))];
  for (const preset of presets) {
    if (!isPresetName(preset)) throw wrongUsage({ problem: 'preset', preset, known: Object.keys(PRESETS) });
  }
  if (schedule !== undefined) parseSchedule(schedule);
  return {
    name,
    roots,
    excludes: [...excludes],
    presets,
    oneFileSystem,
    privateNames,
    ...(schedule === undefined ? {} : { schedule }),
    ...(conditions === undefined ? {} : { conditions }),
    ...(limits === undefined ? {} : { limits }),
    ...(verification === undefined ? {} : { verification }),
  };
}

function checkName(name: string): void {
  const wrong = name === '' || name.trim() !== name || name.length > NAME_LENGTH || /\p{Cc}/u.test(name);
  if (wrong) throw wrongUsage({ problem: 'set-name', name });
}

/**
 * The file or folder that is meant by a path: where it is a link, what it leads to. The link alone would be a backup
 * without the files.
 */
export function meantBy(path: string): string {
  const root = resolve(path);
  try {
    return lstatSync(root).isSymbolicLink() && statSync(root) ? realpathSync.native(root) : root;
  } catch {
    return root;
  }
}

function existingRoot(path: string, before: readonly string[]): string {
  const root = meantBy(path);
  try {
    lstatSync(root);
  } catch (error) {
    if (before.includes(root)) return root;
    const problem = systemCodeOf(error);
    const missing = problem === 'ENOENT' || problem === 'ENOTDIR';
    throw new HoldfastError(
      missing ? 'source_missing' : 'source_unreadable',
      { path: root, problem },
      { cause: error },
    );
  }
  return root;
}

function checkNesting(roots: readonly string[]): void {
  for (const [index, inner] of roots.entries()) {
    const outer = roots.find((other, place) => place !== index && isInside(inner, other));
    if (outer !== undefined) throw wrongUsage({ problem: 'nested-paths', inner, outer });
  }
}

function checkOutside(root: string, ownFolders: readonly string[]): void {
  const real = realPathOf(root);
  const folder = ownFolders.find((own) => isInside(real, realPathOf(own)));
  if (folder !== undefined) throw wrongUsage({ problem: 'inside-own-folder', path: root, folder });
}
