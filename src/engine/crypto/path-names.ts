import { aessiv } from '@noble/ciphers/aes.js';
import { isReservedPath } from '../../protocol/path.ts';
import { HoldfastError } from '../errors.ts';

/** Directories whose names are remembered, each way: more than any tree is deep, and a few MB at most. */
const DEFAULT_DIRECTORIES = 4096;

const SIV_KEY_BYTES = 64;
const SIV_TAG_BYTES = 16;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * Private names: each segment of an entry path becomes base64url(AES-SIV(path sub-key, AD = sealed path of the parent,
 * name)), RFC 5297. The parent of a first segment is `/`: an empty AD is what some OpenSSL releases ignore
 * (CVE-2023-2975). A Windows drive (`C:`) stays as it is, and so do the reserved entries.
 *
 * A sealed segment may be longer than the 255 bytes that file systems take: it is a string at the service only.
 */
export class PathNames {
  readonly #key: Uint8Array;
  readonly #sealedDirectories: RecentlyUsed;
  readonly #openedDirectories: RecentlyUsed;

  /** @param pathSubKey `Keys.path`, 64 bytes */
  constructor(pathSubKey: Uint8Array, directories: number = DEFAULT_DIRECTORIES) {
    if (pathSubKey.length !== SIV_KEY_BYTES) throw new RangeError(`a path sub-key has ${SIV_KEY_BYTES} bytes`);
    this.#key = pathSubKey;
    this.#sealedDirectories = new RecentlyUsed(directories);
    this.#openedDirectories = new RecentlyUsed(directories);
  }

  /** The path that the service sees for an entry path or a directory prefix; equal paths give equal ones. */
  sealPath(path: string): string {
    if (isReservedPath(path)) return path;
    const end = path.lastIndexOf('/');
    if (end < 0) return path;
    const parent = this.#sealDirectory(path.slice(0, end));
    return `${parent}/${this.#sealName(parent, path.slice(end + 1))}`;
  }

  /**
   * The entry path behind a sealed one.
   *
   * @throws HoldfastError `service_answer_suspicious` with details `{problem: 'sealed-name', path}` where a segment is
   *   not sealed under this key for this place
   */
  openPath(sealed: string): string {
    if (isReservedPath(sealed)) return sealed;
    const end = sealed.lastIndexOf('/');
    if (end < 0) return sealed;
    const parent = sealed.slice(0, end);
    return `${this.#openDirectory(parent)}/${this.#openName(parent, sealed.slice(end + 1))}`;
  }

  #sealDirectory(directory: string): string {
    const end = directory.lastIndexOf('/');
    if (end < 0) return directory;
    const known = this.#sealedDirectories.get(directory);
    if (known !== undefined) return known;
    const parent = this.#sealDirectory(directory.slice(0, end));
    const sealed = `${parent}/${this.#sealName(parent, directory.slice(end + 1))}`;
    this.#sealedDirectories.set(directory, sealed);
    return sealed;
  }

  #openDirectory(directory: string): string {
    const end = directory.lastIndexOf('/');
    if (end < 0) return directory;
    const known = this.#openedDirectories.get(directory);
    if (known !== undefined) return known;
    const parent = directory.slice(0, end);
    const opened = `${this.#openDirectory(parent)}/${this.#openName(parent, directory.slice(end + 1))}`;
    this.#openedDirectories.set(directory, opened);
    return opened;
  }

  #sealName(sealedParent: string, name: string): string {
    if (name === '') return '';
    const sealed = aessiv(this.#key, associatedData(sealedParent)).encrypt(Buffer.from(name, 'utf8'));
    return Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength).toString('base64url');
  }

  #openName(sealedParent: string, sealedName: string): string {
    if (sealedName === '') return '';
    const sealed = Buffer.from(sealedName, 'base64url');
    const path = `${sealedParent}/${sealedName}`;
    if (!BASE64URL.test(sealedName) || sealed.length <= SIV_TAG_BYTES) throw notSealedHere(path);
    try {
      return Buffer.from(aessiv(this.#key, associatedData(sealedParent)).decrypt(sealed)).toString('utf8');
    } catch (cause) {
      throw notSealedHere(path, cause);
    }
  }
}

function associatedData(sealedParent: string): Buffer {
  return Buffer.from(sealedParent === '' ? '/' : sealedParent, 'utf8');
}

function notSealedHere(path: string, cause?: unknown): HoldfastError {
  return new HoldfastError('service_answer_suspicious', { problem: 'sealed-name', path }, { cause });
}

/** A map that forgets what was not used for longest. */
class RecentlyUsed {
  readonly #entries = new Map<string, string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): string | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      // A Map keeps the order of insertion: what stands first was not used for longest.
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: string, value: string): void {
    if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, value);
  }
}
