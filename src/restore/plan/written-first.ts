import { isWithin, nameOf } from '../../model/entry-path.ts';

/**
 * On a new computer a restore of everything may take hours, and the documents of the last days are what its owner needs. They
 * are written before all other files.
 */
export const WRITTEN_FIRST = {
  /** Each may cost a request of its own, since it is away from its neighbours. */
  files: 200,
  /** Larger documents would keep the others waiting. */
  largestBytes: 16 * 2 ** 20,
  /** Newest files that are examined, since many of the newest are caches and databases of programs. */
  examined: 20_000,
  /** A smaller restore is over soon in any order. */
  fromFiles: 1000,
  fromBytes: 512 * 2 ** 20,
} as const;

const DOCUMENT =
  /\.(?:docx?|dotx|odt|ott|rtf|pages|pdf|xlsx?|xlsm|ods|numbers|csv|pptx?|odp|key|txt|md|tex|org|epub|html?|eml|ics|vcf|kdbx|one|vsdx|psd|svg|drawio|ai|indd|jpe?g|png|heic|tiff?)$/i;
/**
 * Folders of programs, in which a document is not one that a person has written. Two folders of macOS' `Library` are a person's: iCloud
 * Drive and other cloud drives.
 */
const OF_PROGRAMS =
  /\/(?:\.[^/]+|node_modules|AppData|Library(?!\/(?:Mobile Documents|CloudStorage)\/)|__pycache__|site-packages|vendor|target|dist|build)\//;

/**
 * Returns whether a person probably wrote the file.
 *
 * @param chosen the paths that are restored, or the set's folders. A person has chosen them, so only what is below them counts
 */
export function isDocument(path: string, chosen: readonly string[]): boolean {
  if (!DOCUMENT.test(nameOf(path))) return false;
  const above = chosen.filter((base) => isWithin(path, base)).map((base) => base.length);
  return !OF_PROGRAMS.test(path.slice(Math.max(0, ...above)));
}

/** Returns whether the documents are written before other files. */
export function comesInParts({ files, bytes }: { readonly files: number; readonly bytes: number }): boolean {
  return files >= WRITTEN_FIRST.fromFiles || bytes >= WRITTEN_FIRST.fromBytes;
}
