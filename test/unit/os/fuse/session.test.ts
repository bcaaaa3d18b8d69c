import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FuseFileSystem, FuseFolderEntry } from '../../../../src/os/fuse/file-system.ts';
import { FuseSession } from '../../../../src/os/fuse/session.ts';
import type { NativeFuse } from '../../../../src/os/fuse/native.ts';
import { OPCODE } from '../../../../src/os/fuse/wire.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-fuse-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ATTRIBUTES = {
  inode: 9n,
  type: 'file',
  mode: 0o640,
  size: 3,
  isSparse: false,
  links: 1,
  uid: 1,
  gid: 2,
  modifiedNs: -1n,
  validSeconds: 1,
} as const;

const EMPTY: FuseFileSystem = {
  attributes: async () => ATTRIBUTES,
  lookup: async () => undefined,
  parent: async () => 1n,
  entries: async () => undefined,
  isFixed: () => true,
  readLink: async () => Buffer.from('target'),
  read: async () => [Buffer.from('abc'), Buffer.from('def')],
  attribute: async () => Buffer.from('value'),
  attributeNames: async () => [Buffer.from('user.a'), Buffer.from('user.b')],
  space: () => ({ bytes: 0, files: 0 }),
};

interface Answered {
  readonly unique: bigint;
  readonly errno: number;
  readonly body: Buffer;
}

function request(opcode: number, unique: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(40 + body.length);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt32LE(opcode, 4);
  bytes.writeBigUInt64LE(BigInt(unique), 8);
  bytes.writeBigUInt64LE(1n, 16);
  body.copy(bytes, 40);
  return bytes;
}

function readBody(offset: number, size: number): Buffer {
  const body = Buffer.alloc(40);
  body.writeBigUInt64LE(BigInt(offset), 8);
  body.writeUInt32LE(size, 16);
  return body;
}

/** Serves requests from a list, and returns what was answered until the device reports its end. */
async function answersTo(
  requests: readonly Buffer[],
  files: Partial<FuseFileSystem> = {},
  calls: Partial<NativeFuse> = {},
): Promise<Answered[]> {
  const device = openSync(join(folder, 'answers'), 'w');
  const waiting = [...requests];
  const wake = [openSync('/dev/null', 'w'), openSync('/dev/null', 'w')] as const;
  const native = {
    socketPair: () => wake,
    receiveDescriptor: () => undefined,
    setNonBlocking: () => undefined,
    // Until everything was answered.
    waitReadable: () => new Promise<void>((resolve) => setImmediate(resolve)),
    waitReadableSync: () => false,
    read: (_file: number, into: Buffer) => {
      const next = waiting.shift();
      if (next) return next.copy(into);
      turns += 1;
      return turns > 20 ? 'ENODEV' : 'EAGAIN';
    },
    ...calls,
  };
  let turns = 0;
  const session = new FuseSession({ native, device, files: { ...EMPTY, ...files }, onError: () => undefined });
  await session.serve();
  const written = readFileSync(join(folder, 'answers'));
  const answers: Answered[] = [];
  for (let at = 0; at < written.length; at += written.readUInt32LE(at)) {
    const length = written.readUInt32LE(at);
    const body = written.subarray(at + 16, at + length);
    answers.push({ unique: written.readBigUInt64LE(at + 8), errno: Math.abs(written.readInt32LE(at + 4)), body });
  }
  return answers;
}

function entry(name: string | Buffer, next: bigint): FuseFolderEntry {
  return { name: Buffer.from(name), next, node: 5n, attributes: ATTRIBUTES, validSeconds: 1 };
}

function listedNames(page: Buffer): string[] {
  const names = [];
  for (let at = 0; at < page.length;) {
    const length = page.readUInt32LE(at + 16);
    names.push(page.toString('utf8', at + 24, at + 24 + length));
    at += (24 + length + 7) & ~7;
  }
  return names;
}

describe('a FUSE session', () => {
  test('answers each request with its number', async () => {
    const answers = await answersTo([
      request(OPCODE.READ, 3, readBody(0, 6)),
      request(OPCODE.READLINK, 4),
      request(OPCODE.OPEN, 5),
      request(OPCODE.FORGET, 6),
    ]);
    const of = (unique: bigint): Answered => answers.find((answer) => answer.unique === unique)!;
    expect(String(of(3n).body)).toBe('abcdef');
    expect(String(of(4n).body)).toBe('target');
    expect(of(5n).errno).toBe(38);
    expect(answers).toHaveLength(3);
  });

  test('writes times before 1970 as whole seconds and nanoseconds', async () => {
    const [{ body }] = (await answersTo([request(OPCODE.GETATTR, 1)])) as [Answered];
    expect(body.readBigInt64LE(16 + 32)).toBe(-1n);
    expect(body.readUInt32LE(16 + 52)).toBe(999_999_999);
    expect(body.readUInt32LE(16 + 60)).toBe(0o100640);
  });

  test('leaves out names that the kernel refuses, since it would refuse the whole folder', async () => {
    const hostile = ['', 'a/b', '../up', 'nul\0', 'x'.repeat(256)];
    const entries: FuseFileSystem['entries'] = async (_folder, _from, add) => {
      for (const [index, name] of ['good', ...hostile, 'last'].entries()) add(entry(name, BigInt(index + 1)));
    };
    const [{ body }] = (await answersTo([request(OPCODE.READDIR, 1, readBody(0, 4096))], { entries })) as [Answered];
    expect(listedNames(body)).toEqual(['.', '..', 'good', 'last']);
  });

  test('lists as much as fits, and goes on from there', async () => {
    const entries: FuseFileSystem['entries'] = async (_folder, from, add) => {
      for (let index = from; index < 9n; index += 1n) if (!add(entry(`file ${index}`, index + 1n))) return;
    };
    const names: string[] = [];
    for (let offset = 0, page = ['']; page.length > 0; offset += page.length) {
      const answers = await answersTo([request(OPCODE.READDIR, 1, readBody(offset, 100))], { entries });
      page = listedNames(answers[0]!.body);
      names.push(...page);
    }
    expect(names).toEqual(['.', '..', ...Array.from({ length: 9 }, (_, index) => `file ${index}`)]);
  });

  test('lists what was read before a failure, and then answers the failure', async () => {
    const entries: FuseFileSystem['entries'] = async (_folder, from, add) => {
      if (from === 0n) add(entry('first', 1n));
      throw new Error('away');
    };
    const answers = await answersTo(
      [request(OPCODE.READDIR, 1, readBody(0, 4096)), request(OPCODE.READDIR, 2, readBody(3, 4096))],
      { entries },
    );
    expect(listedNames(answers.find(({ unique }) => unique === 1n)!.body)).toEqual(['.', '..', 'first']);
    expect(answers.find(({ unique }) => unique === 2n)).toMatchObject({ errno: 5 });
  });

  test('answers an interrupted request with EINTR', async () => {
    const interrupt = Buffer.alloc(8);
    interrupt.writeBigUInt64LE(7n, 0);
    const read: FuseFileSystem['read'] = (_node, _offset, _size, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const answers = await answersTo(
      [request(OPCODE.READ, 7, readBody(0, 6)), request(OPCODE.INTERRUPT, 8, interrupt)],
      { read },
    );
    expect(answers).toMatchObject([{ unique: 7n, errno: 4 }]);
  });

  test('answers sizes of attributes, and refuses buffers that are too small', async () => {
    const body = (size: number): Buffer => {
      const bytes = Buffer.alloc(15);
      bytes.writeUInt32LE(size, 0);
      bytes.write('user.a', 8);
      return bytes;
    };
    const answers = await answersTo([
      request(OPCODE.GETXATTR, 1, body(0)),
      request(OPCODE.GETXATTR, 2, body(4)),
      request(OPCODE.GETXATTR, 3, body(5)),
      request(OPCODE.LISTXATTR, 4, body(100)),
    ]);
    expect(answers.map(({ errno }) => errno)).toEqual([0, 34, 0, 0]);
    expect(answers[0]!.body.readUInt32LE(0)).toBe(5);
    expect(String(answers[3]!.body)).toBe('user.a\0user.b\0');
  });

  test('says which attributes a file lacks, and which the file system does', async () => {
    const body = Buffer.alloc(15);
    body.write('user.a', 8);
    const ask = [request(OPCODE.GETXATTR, 1, body)];
    expect(await answersTo(ask, { attribute: () => 'absent' })).toMatchObject([{ errno: 61 }]);
    expect(await answersTo(ask, { attribute: () => 'unsupported' })).toMatchObject([{ errno: 95 }]);
  });

  test('waits on its own thread between requests that are answered from memory, and not while one is worked on', async () => {
    const given: (Buffer | 'EAGAIN' | 'ENODEV')[] = [request(OPCODE.GETATTR, 1), request(OPCODE.GETATTR, 2)].flatMap(
      (each) => [each, 'EAGAIN' as const],
    );
    given.push(request(OPCODE.READLINK, 3), 'EAGAIN', 'ENODEV');
    const done = Promise.withResolvers<Buffer>();
    const waits: string[] = [];
    const calls: Partial<NativeFuse> = {
      read: (_file, into) => {
        const next = given.shift()!;
        return typeof next === 'string' ? next : next.copy(into);
      },
      waitReadableSync: () => waits.push('here') > 0,
      waitReadable: async () => {
        waits.push('thread');
        done.resolve(Buffer.from('target'));
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
    const files = { attributes: () => ATTRIBUTES, readLink: () => done.promise };
    expect(await answersTo([], files, calls)).toHaveLength(3);
    expect(waits).toEqual(['here', 'here', 'thread']);
  });

  test('lets other work have its turn while requests never end', async () => {
    let answered = 0;
    let answeredBefore: number | undefined;
    const attributes = (): typeof ATTRIBUTES => {
      if (answered === 0) setImmediate(() => (answeredBefore = answered));
      answered += 1;
      return ATTRIBUTES;
    };
    const requests = Array.from({ length: 500 }, (_, index) => request(OPCODE.GETATTR, index + 1));
    expect(await answersTo(requests, { attributes })).toHaveLength(500);
    expect(answeredBefore).toBeLessThanOrEqual(64);
  });

  test('ends, with an error, if the kernel is too old', async () => {
    const init = Buffer.alloc(64);
    init.writeUInt32LE(7, 0);
    init.writeUInt32LE(20, 4);
    expect(await answersTo([request(OPCODE.INIT, 1, init)])).toEqual([]);
  });
});
