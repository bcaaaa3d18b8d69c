import { fileSystemPath } from '../names/entry-path.ts';
import { nativeFileSystem, type NativeFileSystem } from '../native.ts';
import { NulTerminatedBuffer } from '../nul-terminated-buffer.ts';

/** The attribute of files and folders that Time Machine leaves out (Apple, CSBackupSetItemExcluded; tmutil(8), addexclusion). */
export const EXCLUDE_ITEM = 'com.apple.metadata:com_apple_backup_excludeItem';

const TEXT = 'com.apple.backupd';

/** Binary property list of the text: marker, object, table with the object's offset, and 32 bytes of trailer. */
const VALUE = Buffer.concat([
  Buffer.from('bplist00'),
  Buffer.of(0x5f, 0x10, TEXT.length),
  Buffer.from(TEXT),
  Buffer.of(8),
  Buffer.from('000000000000010100000000000000010000000000000000000000000000001c', 'hex'),
]);

/** Reads and sets the mark by which programs and people keep items out of Time Machine. */
export class TimeMachineMark {
  readonly #native: NativeFileSystem;
  readonly #path = new NulTerminatedBuffer();
  readonly #name: Buffer;
  readonly #value = Buffer.alloc(256);

  /** @param name of the attribute */
  constructor(native: NativeFileSystem, name = EXCLUDE_ITEM) {
    this.#native = native;
    this.#name = Buffer.from(`${name}\0`);
  }

  /** @param path entry path. Links are not followed */
  isOn(path: string): boolean {
    const cPath = this.#path.of(fileSystemPath(path));
    const length = this.#native.getXattr(cPath, this.#name, this.#value, this.#value.length);
    return length > 0 && this.#value.subarray(0, length).includes(TEXT);
  }

  /** Does nothing if the file system has no attributes. @param path of this operating system */
  set(path: string): void {
    this.#native.setXattr(this.#path.of(path), this.#name, VALUE, VALUE.length);
  }
}

/** Returns `undefined` on other systems. */
export function timeMachineMark(): TimeMachineMark | undefined {
  const native = process.platform === 'darwin' ? nativeFileSystem() : undefined;
  return native && new TimeMachineMark(native);
}
