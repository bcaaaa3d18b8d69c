import { closeSync, writeSync, writevSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemCodeOf } from '../../base/errors.ts';
import { ERRNO, FuseError, type FuseFileSystem, type FuseFolderEntry, type NodeId } from './file-system.ts';
import type { NativeFuse } from './native.ts';
import {
  ATTRIBUTE_NAME_AT,
  decodeAttributeSize,
  decodeInit,
  decodeInterrupted,
  decodeName,
  decodeRead,
  decodeRequest,
  encodeAbsence,
  encodeAttributes,
  encodeAttributeSize,
  encodeEntry,
  encodeHeader,
  encodeInit,
  encodeOpened,
  encodeSpace,
  FolderPage,
  FUSE_MAJOR,
  FUSE_MINOR,
  OPCODE,
  OPENED,
  REQUEST_BYTES,
  type FuseRequest,
} from './wire.ts';

/** Requests that are worked on at once; the kernel keeps the others. */
const MOST_REQUESTS = 256;
/** Requests that are read before other work of this process gets its turn. */
const REQUESTS_PER_TURN = 64;
/** Seconds for which the kernel remembers that there is no such name. */
const ABSENCE_SECONDS = 1;
/** Largest answer to READDIR and READ that is prepared, whatever the request says. */
const MOST_BYTES = 2 ** 20;

type Answer = readonly Uint8Array[];
const NOTHING: Answer = [];

export interface SessionOptions {
  readonly native: NativeFuse;
  /** The descriptor of /dev/fuse; the session closes it. */
  readonly device: number;
  readonly files: FuseFileSystem;
  /** Receives errors that are answered with EIO. */
  readonly onError: (error: unknown) => void;
}

/** Answers the kernel's requests until the file system is unmounted, or the session is ended. */
export class FuseSession {
  readonly #options: SessionOptions;
  readonly #running = new Map<bigint, AbortController>();
  readonly #wake: readonly [number, number];
  #room: PromiseWithResolvers<void> | undefined;
  #isEnded = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#wake = options.native.socketPair();
  }

  /** Resolves when the file system is unmounted, or after `end`. */
  async serve(): Promise<void> {
    const { native, device } = this.#options;
    native.setNonBlocking(device);
    // A thread that waits for the device would hold up the end of the process.
    const onExit = (): void => this.end();
    process.once('exit', onExit);
    try {
      while (!this.#isEnded && (await this.#readAll())) {
        await native.waitReadable([device, this.#wake[0]]);
      }
    } finally {
      process.off('exit', onExit);
      this.#isEnded = true;
      for (const running of this.#running.values()) running.abort();
      for (const file of [device, ...this.#wake]) closeSync(file);
    }
  }

  /** Stops serving without unmounting: everything in it fails from then on. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    writeSync(this.#wake[1], '.');
  }

  /** Reads what there is. Returns false after the file system was unmounted. */
  async #readAll(): Promise<boolean> {
    const { native, device } = this.#options;
    const buffer = Buffer.alloc(REQUEST_BYTES);
    for (let count = 1; !this.#isEnded; count += 1) {
      const length = native.read(device, buffer);
      if (length === 'EAGAIN') return true;
      // An interrupted request has no content, and is gone.
      if (length === 'ENOENT' || length === 'EINTR') continue;
      if (typeof length === 'string') return false;
      const request = decodeRequest(buffer.subarray(0, length));
      if (request) this.#start(request);
      while (this.#running.size >= MOST_REQUESTS) await (this.#room ??= Promise.withResolvers<void>()).promise;
      if (count % REQUESTS_PER_TURN === 0) await nextTurn();
    }
    return false;
  }

  #start(request: FuseRequest): void {
    const { opcode, unique, body } = request;
    switch (opcode) {
      case OPCODE.FORGET:
      case OPCODE.BATCH_FORGET:
        return;
      case OPCODE.INTERRUPT:
        this.#running.get(decodeInterrupted(body))?.abort();
        return;
      default: {
        const controller = new AbortController();
        this.#running.set(unique, controller);
        void this.#answer(unique, this.#run(request, controller.signal), controller.signal);
      }
    }
  }

  async #answer(unique: bigint, work: Promise<Answer>, signal: AbortSignal): Promise<void> {
    let errno = 0;
    let answer = NOTHING;
    try {
      answer = await work;
    } catch (error) {
      errno = error instanceof FuseError ? error.errno : signal.aborted ? ERRNO.EINTR : ERRNO.EIO;
      if (errno === ERRNO.EIO) this.#options.onError(error);
    }
    this.#running.delete(unique);
    this.#room?.resolve();
    this.#room = undefined;
    if (!this.#isEnded) this.#write(unique, errno, errno === 0 ? answer : NOTHING);
  }

  #write(unique: bigint, errno: number, answer: Answer): void {
    const bytes = answer.reduce((sum, part) => sum + part.length, 0);
    try {
      writevSync(this.#options.device, [encodeHeader(unique, errno, bytes), ...answer]);
    } catch (error) {
      // The request was interrupted meanwhile, or the file system was unmounted.
      const code = systemCodeOf(error);
      if (code !== 'ENOENT' && code !== 'ENODEV') this.#options.onError(error);
    }
  }

  /** The body is decoded before anything is awaited, since it is valid until then. */
  #run({ opcode, node, body }: FuseRequest, signal: AbortSignal): Promise<Answer> {
    const { files } = this.#options;
    switch (opcode) {
      case OPCODE.INIT:
        return this.#init(body);
      case OPCODE.LOOKUP:
        return this.#lookup(node, decodeName(body), signal);
      case OPCODE.GETATTR:
        return files.attributes(node, signal).then((attributes) => [encodeAttributes(attributes)]);
      case OPCODE.READLINK:
        return files.readLink(node, signal).then((target) => [target]);
      case OPCODE.OPENDIR: {
        const flags = files.isFixed(node) ? OPENED.keepCache | OPENED.cacheFolder : 0;
        return Promise.resolve([encodeOpened(flags)]);
      }
      case OPCODE.READDIR:
      case OPCODE.READDIRPLUS:
        return this.#list(node, body, opcode === OPCODE.READDIRPLUS, signal);
      case OPCODE.READ: {
        const { offset, size } = decodeRead(body);
        if (offset > BigInt(Number.MAX_SAFE_INTEGER)) return Promise.resolve(NOTHING);
        return files.read(node, Number(offset), Math.min(size, MOST_BYTES), signal);
      }
      case OPCODE.GETXATTR: {
        const size = decodeAttributeSize(body);
        return this.#attribute(node, decodeName(body, ATTRIBUTE_NAME_AT), size, signal);
      }
      case OPCODE.LISTXATTR:
        return this.#attributeNames(node, decodeAttributeSize(body), signal);
      case OPCODE.STATFS:
        return Promise.resolve([encodeSpace(files.space())]);
      case OPCODE.RELEASE:
      case OPCODE.RELEASEDIR:
      case OPCODE.DESTROY:
        return Promise.resolve(NOTHING);
      default:
        // Also of OPEN and FLUSH: the kernel then opens and closes files by itself, and does not ask again.
        return Promise.reject(new FuseError('ENOSYS'));
    }
  }

  #init(body: Buffer): Promise<Answer> {
    const request = decodeInit(body);
    const isOlder = request.major < FUSE_MAJOR || (request.major === FUSE_MAJOR && request.minor < FUSE_MINOR);
    if (isOlder) {
      this.#options.onError(new Error(`the kernel's FUSE is version ${request.major}.${request.minor}`));
      this.end();
      return Promise.reject(new FuseError('EIO'));
    }
    return Promise.resolve([encodeInit(request)]);
  }

  async #lookup(folder: NodeId, name: Buffer, signal: AbortSignal): Promise<Answer> {
    try {
      return [encodeEntry(await this.#options.files.lookup(folder, name, signal))];
    } catch (error) {
      if (error instanceof FuseError && error.errno === ERRNO.ENOENT) return [encodeAbsence(ABSENCE_SECONDS)];
      throw error;
    }
  }

  async #list(folder: NodeId, body: Buffer, isPlus: boolean, signal: AbortSignal): Promise<Answer> {
    const { offset, size } = decodeRead(body);
    const { files } = this.#options;
    const page = new FolderPage(Math.min(size, MOST_BYTES), isPlus);
    if (offset < 1n) page.add(dot('.', folder, 1n));
    if (offset < DOTS) page.add(dot('..', await files.parent(folder, signal), DOTS));
    let isListed = false;
    try {
      for await (const entry of files.entries(folder, offset > DOTS ? offset - DOTS : 0n, signal)) {
        if (!addEntry(page, entry)) break;
        isListed = true;
      }
    } catch (error) {
      // What was read until then counts; the next request meets the failure again.
      if (!isListed) throw error;
    }
    return [page.bytes];
  }

  async #attribute(node: NodeId, name: Buffer, size: number, signal: AbortSignal): Promise<Answer> {
    const value = await this.#options.files.attribute(node, name, signal);
    if (!value) throw new FuseError('ENODATA');
    return sized(value, size);
  }

  async #attributeNames(node: NodeId, size: number, signal: AbortSignal): Promise<Answer> {
    const names = await this.#options.files.attributeNames(node, signal);
    return sized(Buffer.concat(names.flatMap((name) => [name, Buffer.alloc(1)])), size);
  }
}

/** Positions of `.` and `..`, before those of the file system. */
const DOTS = 2n;

function dot(name: string, inode: bigint, next: bigint): Parameters<FolderPage['add']>[0] {
  return { name: Buffer.from(name), inode, type: 'directory', next, entry: undefined };
}

function addEntry(page: FolderPage, entry: FuseFolderEntry): boolean {
  const { name, next, attributes } = entry;
  if (name.length === 0 || name.length > 255 || name.includes(0x2f) || name.includes(0)) return true;
  return page.add({ name, inode: attributes.inode, type: attributes.type, next: next + DOTS, entry });
}

function sized(value: Uint8Array, size: number): Answer {
  if (size === 0) return [encodeAttributeSize(value.length)];
  if (value.length > size) throw new FuseError('ERANGE');
  return [value];
}
