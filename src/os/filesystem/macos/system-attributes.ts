/**
 * Extended attributes that macOS sets for itself and that describe this copy on this computer: which program wrote it, which may open it, and what the
 * integrity protection covers. Programs get EPERM when they set or remove them, and almost every file has the first one since macOS 13.
 */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['com.apple.provenance', 'com.apple.macl', 'com.apple.rootless']);

/** The kernel refuses to set any name that begins so (XNU, `xattr_protected`). */
const PROTECTED_PREFIX = 'com.apple.system.';

/** Returns whether an attribute is macOS's own: it is neither backed up nor restored. */
export function isSystemAttribute(name: string): boolean {
  return OF_THE_SYSTEM.has(name) || name.startsWith(PROTECTED_PREFIX);
}
