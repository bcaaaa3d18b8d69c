import { entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import type { SetRules } from '../../../restore/conflicts/surplus.ts';
import { Exclusion } from '../../../archive/scan/exclusion.ts';
import type { Home } from '../../home/home.ts';
import type { Settings } from '../../home/settings.ts';
import { ownFolders, ownFoldersWithin } from '../../sets/own-folders.ts';

/** Returns the rules of a set of this computer; `undefined` for one that is not configured here, or another computer's. */
export function setRulesOf(
  home: Home,
  settings: Settings,
  { deviceId, backupSet }: { readonly deviceId: string; readonly backupSet: string },
): SetRules | undefined {
  const set = settings.sets.find(({ name }) => name === backupSet);
  if (!set || deviceId !== settings.deviceId) return undefined;
  const own = ownFoldersWithin(set.roots, ownFolders(home, settings)).map(entryPathOf);
  return { roots: set.roots.map(entryPathOf), exclusion: new Exclusion(set.excludes, set.presets, own) };
}
