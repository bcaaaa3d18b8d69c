import { closeSync, writeSync, writevSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { systemCodeOf } from '../../base/errors/errors.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
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

/** For how long the next request is waited for on this thread, after one that was answered from memory. */
const LINGER_MS = 1;
/** Milliseconds of answers after which other work of this process gets its turn. */
const TURN_MS = 4;

/** An answer, or the number of an error. */
type Answer = readonly Uint8Array[] | number;
const NOTHING: readonly Uint8Array[] = [];

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

  /** Answers from memory need nothing of the event loop, which stands still meanwhile. */
  get #canLinger(): boolean {
    return this.#running.size === 0;
  }

  /** Reads what there is. Returns false after the file system was unmounted. */
  async #readAll(): Promise<boolean> {
    const { native, device } = this.#options;
    const buffer = Buffer.alloc(REQUEST_BYTES);
    let began = performance.now();
    for (let count = 1; !this.#isEnded; count += 1) {
      const length = native.read(device, buffer);
      if (length === 'EAGAIN') {
        // What was begun may be answered within this turn.
        if (this.#running.size > 0) await nextTurn();
        if (!this.#canLinger || !native.waitReadableSync(device, LINGER_MS)) return true;
        continue;
      }
      // An interrupted request has no content, and is gone.
      if (length === 'ENOENT' || length === 'EINTR') continue;
      if (typeof length === 'string') return false;
      const request = decodeRequest(buffer.subarray(0, length));
      if (request) this.#start(request);
      while (this.#running.size >= MOST_REQUESTS) await (this.#room ??= Promise.withResolvers<void>()).promise;
      if (count % REQUESTS_PER_TURN === 0 || performance.now() - began > TURN_MS) {
        await nextTurn();
        began = performance.now();
      }
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
        let work: MaybePromise<Answer>;
        try {
          work = this.#run(request, controller.signal);
        } catch (error) {
          work = this.#errnoOf(error, false);
        }
        if (!(work instanceof Promise)) return this.#write(unique, work);
        this.#running.set(unique, controller);
        void this.#answer(unique, work, controller.signal);
      }
    }
  }

  async #answer(unique: bigint, work: Promise<Answer>, signal: AbortSignal): Promise<void> {
    const answer = await work.catch((error: unknown) => this.#errnoOf(error, signal.aborted));
    this.#running.delete(unique);
    this.#room?.resolve();
    this.#room = undefined;
    this.#write(unique, answer);
  }

  #errnoOf(error: unknown, isInterrupted: boolean): number {
    const errno = error instanceof FuseError ? error.errno : isInterrupted ? ERRNO.EINTR : ERRNO.EIO;
    if (errno === ERRNO.EIO) this.#options.onError(error);
    return errno;
  }

  #write(unique: bigint, answer: Answer): void {
    if (this.#isEnded) return;
    const [errno, parts] = typeof answer === 'number' ? [answer, NOTHING] : [0, answer];
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    try {
      writevSync(this.#options.device, [encodeHeader(unique, errno, bytes), ...parts]);
    } catch (error) {
      // The request was interrupted meanwhile, or the file system was unmounted.
      const code = systemCodeOf(error);
      if (code !== 'ENOENT' && code !== 'ENODEV') this.#options.onError(error);
    }
  }

  /** The body is decoded before anything is awaited, since it is valid until then. */
  #run({ opcode, node, body }: FuseRequest, signal: AbortSignal): MaybePromise<Answer> {
    const { files } = this.#options;
    switch (opcode) {
      case OPCODE.INIT:
        return this.#init(body);
      case OPCODE.LOOKUP:
        return this.#lookup(node, decodeName(body), signal);
      case OPCODE.GETATTR:
        return whenReady(files.attributes(node, signal), (attributes) => [encodeAttributes(attributes)]);
      case OPCODE.READLINK:
        return whenReady(files.readLink(node, signal), (target) => [target]);
      case OPCODE.OPENDIR: {
        const flags = files.isFixed(node) ? OPENED.keepCache | OPENED.cacheFolder : 0;
        return [encodeOpened(flags)];
      }
      case OPCODE.READDIR:
      case OPCODE.READDIRPLUS:
        return this.#list(node, body, opcode === OPCODE.READDIRPLUS, signal);
      case OPCODE.READ: {
        const { offset, size } = decodeRead(body);
        if (offset > BigInt(Number.MAX_SAFE_INTEGER)) return NOTHING;
        return files.read(node, Number(offset), Math.min(size, MOST_BYTES), signal);
      }
      case OPCODE.GETXATTR: {
        const size = decodeAttributeSize(body);
        return this.#attribute(node, decodeName(body, ATTRIBUTE_NAME_AT), size, signal);
      }
      case OPCODE.LISTXATTR:
        return this.#attributeNames(node, decodeAttributeSize(body), signal);
      case OPCODE.STATFS:
        return [encodeSpace(files.space())];
      case OPCODE.RELEASE:
      case OPCODE.RELEASEDIR:
      case OPCODE.DESTROY:
        return NOTHING;
      default:
        // Also of OPEN and FLUSH: the kernel then opens and closes files by itself, and does not ask again.
        return ERRNO.ENOSYS;
    }
  }

  #init(body: Buffer): Answer {
    const request = decodeInit(body);
    const isOlder = request.major < FUSE_MAJOR || (request.major === FUSE_MAJOR && request.minor < FUSE_MINOR);
    if (isOlder) {
      this.#options.onError(new Error(`the kernel's FUSE is version ${request.major}.${request.minor}`));
      this.end();
      return ERRNO.EIO;
    }
    return [encodeInit(request)];
  }

  #lookup(folder: NodeId, name: Buffer, signal: AbortSignal): MaybePromise<Answer> {
    return whenReady(this.#options.files.lookup(folder, name, signal), (entry) => [
      entry ? encodeEntry(entry) : encodeAbsence(ABSENCE_SECONDS),
    ]);
  }

  async #list(folder: NodeId, body: Buffer, isPlus: boolean, signal: AbortSignal): Promise<Answer> {
    const { offset, size } = decodeRead(body);
    const { files } = this.#options;
    const page = new FolderPage(Math.min(size, MOST_BYTES), isPlus);
    if (offset < 1n) page.add(dot('.', folder, 1n));
    if (offset < DOTS) page.add(dot('..', await files.parent(folder, signal), DOTS));
    let isListed = false;
    const add = (entry: FuseFolderEntry): boolean => {
      const hasRoom = addEntry(page, entry);
      isListed ||= hasRoom;
      return hasRoom;
    };
    try {
      await files.entries(folder, offset > DOTS ? offset - DOTS : 0n, add, signal);
    } catch (error) {
      // What was read until then counts; the next request meets the failure again.
      if (!isListed) throw error;
    }
    return [page.bytes];
  }

  #attribute(node: NodeId, name: Buffer, size: number, signal: AbortSignal): MaybePromise<Answer> {
    return whenReady(this.#options.files.attribute(node, name, signal), (value) => {
      if (value === 'absent') return ERRNO.ENODATA;
      return value === 'unsupported' ? ERRNO.ENOTSUP : sized(value, size);
    });
  }

  #attributeNames(node: NodeId, size: number, signal: AbortSignal): MaybePromise<Answer> {
    return whenReady(this.#options.files.attributeNames(node, signal), (names) =>
      sized(Buffer.concat(names.flatMap((name) => [name, Buffer.alloc(1)])), size),
    );
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
  if (value.length > size) return ERRNO.ERANGE;
  return [value];
}
