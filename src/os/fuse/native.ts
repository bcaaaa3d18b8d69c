/** System calls for FUSE that Node does not offer, through the C library. Linux only. */
import { createRequire } from 'node:module';
import { getSystemErrorMap } from 'node:util';

export interface NativeFuse {
  /** Returns two connected sockets, which programs that are started do not inherit. */
  socketPair(): readonly [number, number];
  /** Receives a descriptor from a socket without waiting; `undefined` if the other side sent none. */
  receiveDescriptor(socket: number): number | undefined;
  setNonBlocking(file: number): void;
  /** Resolves when one of the descriptors can be read, or its other side is closed. Takes a thread for that time. */
  waitReadable(files: readonly number[]): Promise<void>;
  /** Waits on this thread, for a few milliseconds at most. Returns whether the descriptor can be read, or its other side is closed. */
  waitReadableSync(file: number, milliseconds: number): boolean;
  /** Reads without waiting: the number of bytes, or the code of the error (`EAGAIN`, `ENODEV`). */
  read(file: number, into: Buffer): number | string;
}

type Argument = Uint8Array | number;
interface NativeFunction {
  (...args: Argument[]): number;
  async(...args: [...Argument[], (error: Error | null, result: number) => void]): void;
}

interface Koffi {
  load(library: string): { func(definition: string): NativeFunction };
  errno(): number;
  address(buffer: Uint8Array): bigint;
}

/** @throws if there is no known C library */
export function nativeFuse(): NativeFuse {
  const koffi = createRequire(import.meta.url)('koffi') as Koffi;
  const libc = loadLibrary(koffi);
  const socketpair = libc.func('int socketpair(int domain, int type, int protocol, uint8_t *pair)');
  const recvmsg = libc.func('intptr_t recvmsg(int socket, uint8_t *message, int flags)');
  const fcntl = libc.func('int fcntl(int file, int command, int argument)');
  const poll = libc.func('int poll(uint8_t *files, unsigned long count, int timeout)');
  const read = libc.func('intptr_t read(int file, uint8_t *into, size_t size)');
  const alone = Buffer.alloc(8);
  const lastError = (): string => getSystemErrorMap().get(-koffi.errno())?.[0] ?? 'EIO';
  const checked = (call: string, result: number): number => {
    if (result >= 0) return result;
    const code = lastError();
    throw Object.assign(new Error(`${call}: ${code}`), { code });
  };
  return {
    socketPair() {
      const pair = Buffer.alloc(8);
      checked('socketpair', socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
      return [pair.readInt32LE(0), pair.readInt32LE(4)];
    },
    receiveDescriptor(socket) {
      const byte = Buffer.alloc(1);
      const vector = Buffer.alloc(16);
      vector.writeBigUInt64LE(koffi.address(byte), 0);
      vector.writeBigUInt64LE(1n, 8);
      const control = Buffer.alloc(CONTROL_BYTES);
      const message = Buffer.alloc(56); // struct msghdr of a 64-bit system
      message.writeBigUInt64LE(koffi.address(vector), 16);
      message.writeBigUInt64LE(1n, 24);
      message.writeBigUInt64LE(koffi.address(control), 32);
      message.writeBigUInt64LE(BigInt(CONTROL_BYTES), 40);
      const received = recvmsg(socket, message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      const isDescriptor =
        received === 1 &&
        message.readBigUInt64LE(40) >= BigInt(CONTROL_BYTES - 4) &&
        control.readInt32LE(8) === SOL_SOCKET &&
        control.readInt32LE(12) === SCM_RIGHTS;
      return isDescriptor ? control.readInt32LE(16) : undefined;
    },
    setNonBlocking(file) {
      const flags = checked('fcntl', fcntl(file, F_GETFL, 0));
      checked('fcntl', fcntl(file, F_SETFL, flags | O_NONBLOCK));
    },
    waitReadableSync(file, milliseconds) {
      alone.writeInt32LE(file, 0);
      alone.writeInt16LE(POLLIN, 4);
      return poll(alone, 1, milliseconds) > 0;
    },
    async waitReadable(files) {
      const entries = Buffer.alloc(files.length * 8);
      for (const [index, file] of files.entries()) {
        entries.writeInt32LE(file, index * 8);
        entries.writeInt16LE(POLLIN, index * 8 + 4);
      }
      // Interrupted by a signal, it looks as if something could be read: the caller finds out.
      await new Promise<void>((resolve, reject) => {
        poll.async(entries, files.length, -1, (error) => (error ? reject(error) : resolve()));
      });
    },
    read(file, into) {
      const length = read(file, into, into.length);
      return length >= 0 ? length : lastError();
    },
  };
}

function loadLibrary(koffi: Koffi): ReturnType<Koffi['load']> {
  try {
    return koffi.load('libc.so.6');
  } catch {
    return koffi.load(`libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`);
  }
}

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_CMSG_CLOEXEC = 0x40000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;
const POLLIN = 1;
/** A header of 16 bytes and one descriptor, padded. */
const CONTROL_BYTES = 24;
