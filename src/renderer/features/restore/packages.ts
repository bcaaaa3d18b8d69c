import type { BrowsedEntry } from '../../../ipc/contract/restore/restore.ts';

/**
 * Endings of folders that macOS shows as one item: programs, libraries of photographs, music and films, documents that are folders, and projects. macOS
 * itself asks the programs that are installed, which another computer cannot.
 */
const ENDINGS: ReadonlySet<string> = new Set(
  [
    // Programs and their parts.
    'action app appex bundle component framework kext mdimporter mpkg pkg plugin prefpane qlgenerator saver scptd service systemextension vst vst3 wdgt',
    'workflow xpc',
    // Libraries.
    'aplibrary imovielibrary musiclibrary photolibrary photoslibrary theater tvlibrary',
    // Documents and projects.
    'band download dsym fcpbundle graffle imovieproject key logicx numbers oo3 pages playground rtfd scriv sparsebundle xcarchive xcodeproj xcworkspace',
  ].flatMap((line) => line.split(' ')),
);

/** The folders in which a Mac keeps what belongs to people, programs and disks; no other system has them at its root. */
const OF_A_MAC = /^\/(?:Users|Applications|Library|System|Volumes)\//;

/** Returns whether an entry is a folder that macOS shows as one item (docs/decisions/history/0322-packages-as-one-item.md). */
export function isPackage({ path, name, type }: Pick<BrowsedEntry, 'path' | 'name' | 'type'>): boolean {
  const dot = name.lastIndexOf('.');
  return type === 'directory' && dot > 0 && OF_A_MAC.test(path) && ENDINGS.has(name.slice(dot + 1).toLowerCase());
}
