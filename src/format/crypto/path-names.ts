import { isReservedPath } from '../../protocol/path.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { AesSiv, SIV_TAG_BYTES } from './aes-siv.ts';
import type { EpochKeys } from './keys.ts';

/** The number of cached directories in each direction: far more than a tree is deep, and a few MB at most. */
const DEFAULT_DIRECTORIES = 4096;

/** The state shared by all names in one directory. */
interface Directory {
  readonly clear: string;
  readonly sealed: string;
  /** AES-SIV's state after the sealed path as associated data. */
  readonly state: Buffer;
}

/**
 * Private names: each segment of an entry path becomes base64url(AES-SIV(path sub-key, AD = sealed path of its parent,
 * name)), so that equal names in different folders differ and the sealed form of a directory prefix can be computed
 * locally. The parent of a first segment is `/`, since some OpenSSL releases ignore an empty AD
 * (CVE-2023-2975). A Windows drive (`C:`) and the reserved entries stay as they are.
 *
 * A sealed segment may be longer than the 255 bytes that file systems take: it is a string at the service only.
 */
export class PathNames {
  readonly #epochs: readonly [EpochNames, ...EpochNames[]];

  /**
   * @param pathSubKeys `Keys.path`, 64 bytes each
   * @param directories the number of cached directories in each direction
   */
  constructor([current, ...earlier]: EpochKeys, directories: number = DEFAULT_DIRECTORIES) {
    this.#epochs = [
      new EpochNames(current.key, directories),
      ...earlier.map(({ key }) => new EpochNames(key, directories)),
    ];
  }

  /** Returns the service's path for an entry path or a directory prefix (`''` and `/` stay). */
  sealPath(path: string): string {
    return this.#epochs[0].sealPath(path);
  }

  /** Returns the path as each epoch seals it, the current one first. */
  sealedPaths(path: string): readonly string[] {
    return [...new Set(this.#epochs.map((names) => names.sealPath(path)))];
  }

  /**
   * Returns the entry path of a path that was sealed in any epoch.
   *
   * @throws HoldfastError `service_answer_suspicious` with details `{problem: 'sealed-name', path}` if a segment was
   *   not sealed under any of the keys for this place
   */
  openPath(sealed: string): string {
    let refused: HoldfastError | undefined;
    for (const names of this.#epochs) {
      try {
        return names.openPath(sealed);
      } catch (error) {
        if (!isHoldfastError(error, 'service_answer_suspicious')) throw error;
        refused ??= error;
      }
    }
    throw refused!;
  }
}

/** The names of one epoch. */
class EpochNames {
  readonly #siv: AesSiv;
  readonly #byClearPath: RecentlyUsed<Directory>;
  readonly #bySealedPath: RecentlyUsed<Directory>;

  constructor(pathSubKey: Uint8Array, directories: number) {
    this.#siv = new AesSiv(pathSubKey);
    this.#byClearPath = new RecentlyUsed(directories);
    this.#bySealedPath = new RecentlyUsed(directories);
  }

  sealPath(path: string): string {
    const end = path.lastIndexOf('/');
    if (end < 0 || path === '/' || isReservedPath(path)) return path;
    const parent = this.#directoryOf(path.slice(0, end));
    return `${parent.sealed}/${this.#sealName(parent, path.slice(end + 1))}`;
  }

  openPath(sealed: string): string {
    const end = sealed.lastIndexOf('/');
    if (end < 0 || sealed === '/' || isReservedPath(sealed)) return sealed;
    const parent = this.#sealedDirectoryOf(sealed.slice(0, end));
    return `${parent.clear}/${this.#openName(parent, sealed.slice(end + 1))}`;
  }

  #directoryOf(clear: string): Directory {
    const known = this.#byClearPath.get(clear);
    if (known) return known;
    const end = clear.lastIndexOf('/');
    const parent = end < 0 ? undefined : this.#directoryOf(clear.slice(0, end));
    const sealed = parent ? `${parent.sealed}/${this.#sealName(parent, clear.slice(end + 1))}` : clear;
    return this.#byClearPath.set(clear, { clear, sealed, state: this.#stateOf(sealed) });
  }

  #sealedDirectoryOf(sealed: string): Directory {
    const known = this.#bySealedPath.get(sealed);
    if (known) return known;
    const end = sealed.lastIndexOf('/');
    const parent = end < 0 ? undefined : this.#sealedDirectoryOf(sealed.slice(0, end));
    const clear = parent ? `${parent.clear}/${this.#openName(parent, sealed.slice(end + 1))}` : sealed;
    return this.#bySealedPath.set(sealed, { clear, sealed, state: this.#stateOf(sealed) });
  }

  #stateOf(sealedPath: string): Buffer {
    return this.#siv.associate(Buffer.from(sealedPath === '' ? '/' : sealedPath, 'utf8'));
  }

  #sealName(parent: Directory, name: string): string {
    return this.#siv.seal(parent.state, Buffer.from(name, 'utf8')).toString('base64url');
  }

  #openName(parent: Directory, sealedName: string): string {
    const bytes = Buffer.from(sealedName, 'base64url');
    // Encoded again, since decoding ignores foreign characters and stray bits: one name has one sealed form.
    const canonical = bytes.length > SIV_TAG_BYTES && bytes.toString('base64url') === sealedName;
    const name = canonical ? this.#siv.open(parent.state, bytes)?.toString('utf8') : undefined;
    if (name === undefined || !isName(name)) {
      const path = `${parent.sealed}/${sealedName}`;
      throw new HoldfastError('service_answer_suspicious', { problem: 'sealed-name', path });
    }
    return name;
  }
}

function isName(text: string): boolean {
  return text !== '.' && text !== '..' && !text.includes('/') && !text.includes('\0');
}

/** A least-recently-used cache. */
class RecentlyUsed<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      // A Map keeps the order of insertion: the first entry is the least recently used.
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: string, value: Value): Value {
    if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, value);
    return value;
  }
}
