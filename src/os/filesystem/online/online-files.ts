import { createRequire } from 'node:module';
import { toNamespacedPath } from 'node:path';
import { isIcloudPlaceholder, nameBehindIcloud } from './icloud-placeholder.ts';

/**
 * Files of a cloud drive that are online only: the disk has their name, size and times, and opening them downloads the content.
 * Nothing here opens a file but placeholders, which are small files of the disk.
 */
export interface OnlineFileSystem {
  /** @param path of this operating system. Returns false if it is gone */
  isFileOnline(path: string): boolean;
  /** Listing such a folder would download it. */
  isFolderOnline(path: string): boolean;
  /** Returns the name of the file that a placeholder with a name of its own stands for, by that name alone. */
  nameBehind(placeholder: string): string | undefined;
  /** Returns whether a file with such a name is a placeholder, by its type, size and content. @param path of this operating system */
  isPlaceholder(path: string): boolean;
}

type Argument = Uint8Array | string | number;
interface Library {
  func(definition: string): (...args: Argument[]) => number;
}

let current: OnlineFileSystem | undefined;
let isLoaded = false;

/** Returns `undefined` on systems that do not say which files are online only. */
export function onlineFileSystem(): OnlineFileSystem | undefined {
  if (!isLoaded) replaceOnlineFileSystem(load(process.platform));
  return current;
}

/** Replaces the operating system's. For tests. */
export function replaceOnlineFileSystem(by: OnlineFileSystem | undefined): void {
  current = by;
  isLoaded = true;
}

function load(platform: NodeJS.Platform): OnlineFileSystem | undefined {
  if (platform !== 'win32' && platform !== 'darwin') return undefined;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as { load(library: string): Library };
    if (platform === 'win32') return windowsOnlineFiles(koffi.load('kernel32.dll'));
    return macosOnlineFiles(koffi.load('libSystem.B.dylib'));
  } catch {
    return undefined;
  }
}

/**
 * The data are on another tape, disk or computer: FILE_ATTRIBUTE_OFFLINE, _RECALL_ON_DATA_ACCESS. The number of _RECALL_ON_OPEN appears in
 * listings only. From GetFileAttributesW it is FILE_ATTRIBUTE_EA: a local file with extended attributes.
 */
const RECALLED = 0x1000 | 0x40_0000;
/** INVALID_FILE_ATTRIBUTES, as a signed and as an unsigned number. */
const INVALID: ReadonlySet<number> = new Set([-1, 0xffff_ffff]);

/**
 * OneDrive, iCloud and Dropbox mark their placeholders with the attributes of the cloud files API (Microsoft, "File Attribute
 * Constants").
 *
 * @param library kernel32
 */
export function windowsOnlineFiles(library: Library): OnlineFileSystem {
  const attributesOf = library.func('uint32_t __stdcall GetFileAttributesW(const char16_t *path)');
  return {
    isFileOnline: (path) => {
      const attributes = attributesOf(toNamespacedPath(path));
      return !INVALID.has(attributes) && (attributes & RECALLED) !== 0;
    },
    // A folder may have the attributes although files in it are here, and listing it downloads none.
    isFolderOnline: () => false,
    nameBehind: () => undefined,
    isPlaceholder: () => false,
  };
}

/** SF_DATALESS of sys/stat.h: opening a file or listing a folder downloads it. */
const DATALESS = 0x4000_0000;

/** struct attrlist: five groups (ATTR_BIT_MAP_COUNT), and ATTR_CMN_FLAGS of the first. */
const ASKED = Buffer.alloc(24);
ASKED.writeUInt16LE(5, 0);
ASKED.writeUInt32LE(0x0004_0000, 4);
/** The length of the answer, and st_flags. */
const ANSWER_BYTES = 8;
const NO_FOLLOW = 1;

/**
 * File providers (iCloud Drive, OneDrive, Dropbox) have dataless files (Apple, TN3150). Before macOS 14, iCloud Drive replaced
 * `report.pdf` by `.report.pdf.icloud`.
 *
 * @param library libSystem
 */
export function macosOnlineFiles(library: Library): OnlineFileSystem {
  const attributes = library.func(
    'int getattrlist(const char *path, const uint8_t *asked, uint8_t *answer, size_t size, unsigned long options)',
  );
  const answer = Buffer.alloc(ANSWER_BYTES);
  const isDataless = (path: string): boolean =>
    attributes(path, ASKED, answer, ANSWER_BYTES, NO_FOLLOW) === 0 && (answer.readUInt32LE(4) & DATALESS) !== 0;
  return {
    isFileOnline: isDataless,
    isFolderOnline: isDataless,
    nameBehind: nameBehindIcloud,
    isPlaceholder: isIcloudPlaceholder,
  };
}
