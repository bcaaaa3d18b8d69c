/** Characters that some file system does not take in a name, and those that change how a name reads. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;
const MOST = 120;

/** Returns a name for an archive that every system takes. */
export function archiveName(name: string, ending: string): string {
  const safe = Array.from(name.replaceAll(UNSAFE, '-'))
    .slice(0, MOST)
    .join('')
    .replace(/^[.\s]+/, '')
    .trim();
  return `${safe === '' ? 'Holdfast' : safe}.${ending}`;
}
