import { lstatSync } from 'node:fs';
import { localPath } from '../input/local-path.ts';
import { HoldfastError, systemCodeOf, wrongUsage } from '../../base/errors/errors.ts';
import { realPathOf, spelledAsOnDisk } from '../../os/filesystem/real-path.ts';
import { isInside } from '../../model/local-path.ts';
import { entryPathOf } from '../../os/filesystem/names/entry-path.ts';
import { isOutside } from '../../archive/scan/source-patterns.ts';
import { defaultPresets, isPresetName, PRESETS } from '../../archive/scan/presets/presets.ts';
import type { ConfiguredSet } from '../../model/set.ts';
import { pingsOf } from './hook-forms.ts';
import { ownFolderOf } from './own-folders.ts';
import { requireSchedule } from '../input/schedule.ts';

/**
 * A set as a person requests it. Its roots may be relative to the working directory, and its presets are those of this
 * operating system by default.
 */
export type NewSet = Omit<ConfiguredSet, 'presets'> & Partial<Pick<ConfiguredSet, 'presets'>>;

const NAME_LENGTH = 100;

/**
 * Validates a requested set, against the disk too.
 *
 * @param ownFolders absolute paths of Holdfast's own data
 * @param before what the set has already. Its roots may be missing, as on a disk that is not connected, and its patterns may have lost theirs
 * @throws HoldfastError `usage` (name, nested paths, pattern, preset, schedule, address of a ping, a path within an own folder), `source_missing`,
 *   `source_unreadable`
 */
export function configuredSetOf(
  request: NewSet,
  ownFolders: readonly string[],
  before: Pick<ConfiguredSet, 'roots' | 'excludes'> = { roots: [], excludes: [] },
): ConfiguredSet {
  const { name, schedule, presets = defaultPresets(process.platform) } = request;
  checkName(name);
  if (request.roots.length === 0) throw wrongUsage({ problem: 'set-without-paths' });
  const given = request.roots.map((path) => existingRoot(path, before.roots));
  const roots = given.map((root) => (isLinkIn(root, given) ? realPathOf(root) : root));
  checkNesting(roots);
  for (const root of roots) checkOutside(root, ownFolders);
  checkPatterns(
    request.excludes.filter((pattern) => !before.excludes.includes(pattern)),
    roots,
  );
  for (const preset of presets) {
    if (!isPresetName(preset)) throw wrongUsage({ problem: 'preset', preset, known: Object.keys(PRESETS) });
  }
  if (schedule !== undefined) requireSchedule(schedule);
  const { optionalRoots = [], pings: requested = {}, conditions, limits, ...others } = request;
  const optional = optionalRoots.map(sourcePathOf).filter((path) => roots.some((root) => isInside(path, root)));
  const pings = pingsOf(requested);
  return {
    ...others,
    roots,
    presets,
    ...(restricts(conditions) ? { conditions } : {}),
    ...(restricts(limits) ? { limits } : {}),
    ...(optional.length === 0 ? {} : { optionalRoots: optional }),
    ...(pings ? { pings } : {}),
  };
}

/** Returns whether rules restrict anything: an editor has a value for each. */
function restricts<Rules extends object>(rules: Rules | undefined): rules is Rules {
  return Object.values(rules ?? {}).some((value) => value !== undefined && value !== false);
}

/** Returns an absolute path as the disk spells it. A link stays: each run follows it to where it leads then. */
export function sourcePathOf(path: string): string {
  return spelledAsOnDisk(localPath(path));
}

/** A folder of the set has the link itself at this path, so the source is what it leads to now. */
function isLinkIn(root: string, roots: readonly string[]): boolean {
  const isHeld = roots.some((other) => other !== root && isInside(root, other));
  return isHeld && lstatSync(root, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function checkName(name: string): void {
  const wrong = name === '' || name.trim() !== name || name.length > NAME_LENGTH || /\p{Cc}/u.test(name);
  if (wrong) throw wrongUsage({ problem: 'set-name', name });
}

function existingRoot(path: string, before: readonly string[]): string {
  const root = sourcePathOf(path);
  try {
    lstatSync(root);
  } catch (error) {
    if (before.includes(root)) return root;
    const problem = systemCodeOf(error);
    const code = problem === 'ENOENT' || problem === 'ENOTDIR' ? 'source_missing' : 'source_unreadable';
    throw new HoldfastError(code, { path: root, problem }, { cause: error });
  }
  return root;
}

function checkNesting(roots: readonly string[]): void {
  for (const [index, inner] of roots.entries()) {
    const isAround = (other: string): boolean =>
      isInside(inner, other) || isInside(realPathOf(inner), realPathOf(other));
    const outer = roots.find((other, place) => place !== index && isAround(other));
    if (outer !== undefined) throw wrongUsage({ problem: 'nested-paths', inner, outer });
  }
}

function checkPatterns(patterns: readonly string[], roots: readonly string[]): void {
  const sources = roots.map(entryPathOf);
  const pattern = patterns.find((one) => isOutside(one, sources));
  if (pattern !== undefined) throw wrongUsage({ problem: 'exclusion-outside', pattern, root: roots[0]! });
}

function checkOutside(root: string, ownFolders: readonly string[]): void {
  const folder = ownFolderOf(root, ownFolders);
  if (folder !== undefined) throw wrongUsage({ problem: 'inside-own-folder', path: root, folder });
}
