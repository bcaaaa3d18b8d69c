/** Beginnings of names that systems create by themselves, in every folder or at the top of a disk. Capitals make no difference. */
const BEGINNINGS = [
  '#recycle',
  '$recycle.bin',
  '._.',
  '.apdisk',
  '.directory',
  '.documentrevisions-v100',
  '.ds_store',
  '.fseventsd',
  '.fuse_hidden',
  '.localized',
  '.metadata_never_index',
  '.snapshot',
  '.spotlight-',
  '.temporaryitems',
  '.trash',
  '.volumeicon.icns',
  '.zfs',
  '@eadir',
  'desktop.ini',
  'icon\r',
  'lost+found',
  'recycler',
  'system volume information',
  'thumbs.db',
];

/** Returns whether something in a folder is there without anybody having put it there, by its name. */
export function isSystemName(name: string): boolean {
  const lower = name.toLowerCase();
  return BEGINNINGS.some((beginning) => lower.startsWith(beginning));
}
