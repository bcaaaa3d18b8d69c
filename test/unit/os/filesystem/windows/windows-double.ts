import type { NamedStream, WindowsFileSystem } from '../../../../../src/os/filesystem/windows/windows-file-system.ts';
import type { StreamFiles } from '../../../../../src/os/filesystem/windows/kept-attributes.ts';

interface DoubleFile {
  attributes: number;
  security: Uint8Array;
  reparseData?: Uint8Array;
  readonly streams: Map<string, Uint8Array>;
}

/** One file of an NTFS disk in memory. `forbidden` are the calls that fail with EPERM. */
export class WindowsDouble implements WindowsFileSystem, StreamFiles {
  readonly file: DoubleFile = { attributes: 0x20, security: inheritedRights(), streams: new Map() };
  readonly forbidden = new Set<keyof WindowsFileSystem>();
  /** False for a process without the privilege to set owners. */
  maySetOwner = true;

  attributesOf(): number {
    this.#check('attributesOf');
    return this.file.attributes;
  }

  setAttributes(_: string, attributes: number): void {
    this.#check('setAttributes');
    // Windows ignores those that are not set directly.
    const settable = 0x1 | 0x2 | 0x4 | 0x20 | 0x2000;
    this.file.attributes = (this.file.attributes & ~settable) | (attributes & settable);
  }

  securityOf(): Uint8Array {
    this.#check('securityOf');
    return this.file.security;
  }

  setSecurity(_: string, descriptor: Uint8Array): boolean {
    this.#check('setSecurity');
    this.file.security = descriptor;
    return this.maySetOwner;
  }

  reparseDataOf(): Uint8Array {
    if (!this.file.reparseData) throw Object.assign(new Error('no reparse point'), { code: 'EINVAL' });
    return this.file.reparseData;
  }

  streamsOf(): readonly NamedStream[] {
    this.#check('streamsOf');
    return Array.from(this.file.streams, ([name, content]) => ({ name, size: content.length }));
  }

  setTimes(): void {
    this.#check('setTimes');
  }

  compress(): void {
    this.#check('compress');
    this.file.attributes |= 0x800;
  }

  makeSparse(): void {
    this.file.attributes |= 0x200;
  }

  moveExclusive(): void {
    this.#check('moveExclusive');
  }

  moveOver(): void {
    this.#check('moveOver');
  }

  read(path: string): Uint8Array {
    const content = this.file.streams.get(path.slice(path.lastIndexOf(':') + 1));
    if (!content) throw Object.assign(new Error(path), { code: 'ENOENT' });
    return content;
  }

  write(path: string, content: Uint8Array): void {
    if ((this.file.attributes & 1) !== 0) throw Object.assign(new Error(path), { code: 'EPERM' });
    this.file.streams.set(path.slice(path.lastIndexOf(':') + 1), content);
  }

  #check(call: keyof WindowsFileSystem): void {
    if (this.forbidden.has(call)) throw Object.assign(new Error(call), { code: 'EPERM' });
  }
}

/** S-1-5-32-544, administrators. */
const ADMINISTRATORS = [1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0];

/** A descriptor as MS-DTYP describes it: owner and group are administrators, who may do everything. */
export function rights({ control = 0x8004, aceFlags = 0 }: { control?: number; aceFlags?: number } = {}): Buffer {
  const ace = Buffer.from([0, aceFlags, 24, 0, 0xff, 0x01, 0x1f, 0x00, ...ADMINISTRATORS]);
  const list = Buffer.from([2, 0, 8 + ace.length, 0, 1, 0, 0, 0, ...ace]);
  const header = Buffer.alloc(20);
  header[0] = 1;
  header.writeUInt16LE(control, 2);
  header.writeUInt32LE(20, 4);
  header.writeUInt32LE(36, 8);
  header.writeUInt32LE(52, 16);
  return Buffer.concat([header, Buffer.from(ADMINISTRATORS), Buffer.from(ADMINISTRATORS), list]);
}

/** What a new file has: everything from the folder above. */
export function inheritedRights(): Buffer {
  return rights({ control: 0x8404, aceFlags: 0x10 });
}
