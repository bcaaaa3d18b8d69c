import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfiguredSet } from '../../../../../src/model/set.ts';
import { chunkFiles, FAILED } from '../../../../../src/archive/chunk/chunk-files.ts';
import { isIcloudPlaceholder, nameBehindIcloud } from '../../../../../src/os/filesystem/online/icloud-placeholder.ts';
import {
  macosOnlineFiles,
  replaceOnlineFileSystem,
  windowsOnlineFiles,
} from '../../../../../src/os/filesystem/online/online-files.ts';
import { sealChunks, type SealChunksOutput } from '../../../../../src/archive/chunk/seal-chunks.ts';
import { systemCodeOf } from '../../../../../src/base/errors/errors.ts';
import { refuseOnline } from '../../../../../src/os/filesystem/online/refuse-online.ts';
import type { RunWarning } from '../../../../../src/jobs/run-warning.ts';
import { epochKeys } from '../../../../helpers/epoch-keys.ts';
import { HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { keepThreads } from '../../../../helpers/kept-threads.ts';

keepThreads();

let fixture: HandlerFixture;
/** Paths that only the cloud drive has. */
const online = new Set<string>();

beforeEach(async () => {
  fixture = new HandlerFixture();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  fixture.write('docs/here', 'here');
  fixture.write('docs/cloud', 'version 1');
  replaceOnlineFileSystem({
    isFileOnline: (path) => online.has(path),
    isFolderOnline: (path) => online.has(path),
    nameBehind: nameBehindIcloud,
    isPlaceholder: isIcloudPlaceholder,
  });
});
afterEach(() => {
  online.clear();
  replaceOnlineFileSystem(undefined);
  fixture.close();
});

async function addSet(rules: Partial<ConfiguredSet> = {}): Promise<void> {
  await fixture.agent.addSet({
    form: {
      name: 'docs',
      roots: [fixture.path('docs')],
      excludes: [],
      presets: [],
      oneFileSystem: false,
      privateNames: false,
      ...rules,
    },
  });
}

async function backUp(): Promise<readonly RunWarning[]> {
  fixture.advance(600_000);
  return (await fixture.agent.backup({ set: 'docs' }, {})).warnings;
}

/** The newest restore point, as a restore puts it on the disk. */
async function restored(name: string): Promise<string | undefined> {
  const to = fixture.path('restored');
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  await fixture.agent.restore({ set: 'docs', at: 'latest', paths: [], to, conflict: 'overwrite' }, {});
  try {
    return readFileSync(join(to, 'docs', name), 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const CLOUD = (): string => fixture.path('docs/cloud');

describe('a file that is online only', () => {
  test('is named and not backed up, and everything else is', async () => {
    await addSet();
    online.add(CLOUD());
    expect(await backUp()).toEqual([{ path: CLOUD(), reason: 'online-only' }]);
    expect(await restored('cloud')).toBeUndefined();
    expect(await restored('here')).toBe('here');
  });

  test('is fetched if the set says so', async () => {
    await addSet({ onlineFiles: 'fetch' });
    online.add(CLOUD());
    expect(await backUp()).toEqual([]);
    expect(await restored('cloud')).toBe('version 1');
  });

  test('keeps its last version if it changed meanwhile, and is not recorded as deleted', async () => {
    await addSet();
    await backUp();
    fixture.write('docs/cloud', 'another version that was never here');
    online.add(CLOUD());
    expect(await backUp()).toEqual([{ path: CLOUD(), reason: 'online-only-kept' }]);
    expect(await restored('cloud')).toBe('version 1');
  });

  test('needs no mention if the version that was backed up has its size and time', async () => {
    await addSet();
    // Node sets times in parts of a second that are not exact.
    const time = new Date('2026-01-01T00:00:00Z');
    utimesSync(CLOUD(), time, time);
    await backUp();
    // The drive replaces the file by a placeholder: another inode, the same size and time.
    renameSync(fixture.write('placeholder', '123456789'), CLOUD());
    utimesSync(CLOUD(), time, time);
    online.add(CLOUD());
    expect(await backUp()).toEqual([]);
    expect(await restored('cloud')).toBe('version 1');
  });
});

/** A placeholder as iCloud Drive writes it: made by Python's plistlib. */
function putPlaceholder(): void {
  rmSync(CLOUD(), { force: true });
  putPropertyList(fixture.path('docs/.cloud.icloud'), PLACEHOLDER);
}

const PLACEHOLDER =
  "{'NSURLNameKey': 'cloud', 'NSURLFileResourceTypeKey': 'NSURLFileResourceTypeRegular', 'NSURLFileSizeKey': 9}";

function putPropertyList(path: string, value: string): void {
  const script = `import plistlib, sys
with open(sys.argv[1], 'wb') as file:
    plistlib.dump(${value}, file, fmt=plistlib.FMT_BINARY)`;
  execFileSync('python3', ['-c', script, path]);
}

describe('a placeholder of iCloud Drive with a name of its own', () => {
  test.each([
    ['text', (path: string) => writeFileSync(path, 'mine')],
    ['a property list of something else', (path: string) => writeFileSync(path, 'bplist00 NSURLNameKey')],
    [
      'a large file',
      (path: string) => writeFileSync(path, `bplist00 NSURLNameKey NSURLFileSizeKey${' '.repeat(9000)}`),
    ],
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['a text about them', (path: string) => writeFileSync(path, 'bplist00, with NSURLNameKey and NSURLFileSizeKey')],
    ['that of another file', (path: string) => putPropertyList(path, PLACEHOLDER)],
    ['one with a note of its own', (path: string) => putPropertyList(path, "{'NSURLNameKey': 'mine', 'note': 'x'}")],
    [
      'one whose size is a text',
      (path: string) => putPropertyList(path, "{'NSURLNameKey': 'mine', 'NSURLFileSizeKey': '9'}"),
    ],
    ['a list', (path: string) => putPropertyList(path, "['NSURLNameKey', 'mine', 'NSURLFileSizeKey', 9]")],
    [
      'one with more behind it',
      (path: string) => {
        putPropertyList(path, PLACEHOLDER.replace("'cloud'", "'mine'"));
        appendFileSync(path, 'and my own words');
      },
    ],
  ])('is none without its content: %s', async (_what, put) => {
    await addSet();
    put(fixture.path('docs/.mine.icloud'));
    expect(await backUp()).toEqual([]);
    expect(await restored('.mine.icloud')).toBe(readFileSync(fixture.path('docs/.mine.icloud'), 'utf8'));
  });

  test.each(['report.pdf', 'résumé – 日本.txt', 'x'.repeat(200)])('is one with the name of the file: %s', (name) => {
    const path = fixture.path(`docs/.${name}.icloud`);
    putPropertyList(path, PLACEHOLDER.replace("'cloud'", JSON.stringify(name)));
    expect(isIcloudPlaceholder(path)).toBe(true);
    putPropertyList(path, PLACEHOLDER.replace("'cloud'", JSON.stringify(name.normalize('NFD'))).replace('9', '2**40'));
    expect(isIcloudPlaceholder(path)).toBe(true);
  });

  test.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link', (path: string) => symlinkSync(fixture.path('docs/here'), path)],
  ])('is none as %s', (_what, put) => {
    const path = fixture.path('docs/.x.icloud');
    put(path);
    expect(isIcloudPlaceholder(path)).toBe(false);
  });

  test('stands for the file, whose last version is kept', async () => {
    await addSet();
    await backUp();
    putPlaceholder();
    expect(await backUp()).toEqual([{ path: CLOUD(), reason: 'online-only-kept' }]);
    expect(await restored('cloud')).toBe('version 1');
    expect(await restored('.cloud.icloud')).toBeUndefined();
  });

  test('is left out with the file that a rule excludes', async () => {
    await addSet({ excludes: ['cloud'] });
    putPlaceholder();
    expect(await backUp()).toEqual([]);
  });

  test('is a file of its own where the file is here, too', async () => {
    await addSet();
    fixture.write('docs/.cloud.icloud', 'x');
    expect(await backUp()).toEqual([]);
    expect(await restored('cloud')).toBe('version 1');
    expect(await restored('.cloud.icloud')).toBe('x');
  });
});

test('a folder that is online only is not listed, and keeps what was backed up', async () => {
  await addSet();
  fixture.write('docs/folder/file', 'inside');
  await backUp();
  rmSync(fixture.path('docs/folder/file'));
  online.add(fixture.path('docs/folder'));
  expect(await backUp()).toEqual([{ path: fixture.path('docs/folder'), reason: 'online-only-folder' }]);
  expect(await restored('folder/file')).toBe('inside');
});

test('a file that goes online between scan and reading, or between reading and upload, is not opened', () => {
  online.add(CLOUD());
  expect(() => refuseOnline(CLOUD())).toThrow(expect.objectContaining({ code: 'EONLINE' }));
  const input = { paths: [CLOUD()], offset: 0, limit: 1000 };
  const { value: skipped } = chunkFiles({ ...input, skipsOnline: true }) as {
    value: ReturnType<typeof chunkFiles>['value'];
  };
  expect([...skipped.states]).toEqual([FAILED]);
  expect(skipped.failures).toEqual([[0, 'EONLINE']]);
  expect([...chunkFiles(input).value.states]).not.toEqual([FAILED]);

  const source = { path: CLOUD(), offset: 0, size: 9, kind: 'data' } as const;
  const digests = new Uint8Array(createHash('sha256').update('version 1').digest());
  const sealed = (skipsOnline: boolean): SealChunksOutput =>
    sealChunks({
      chunkSubKeys: epochKeys(new Uint8Array(32)),
      sources: [source],
      digests,
      compression: 'off',
      skipsOnline,
      memory: new SharedArrayBuffer(1024),
    }).value;
  expect(sealed(true)).toMatchObject({ failures: [[0, 'EONLINE']], lengths: Uint32Array.of(0) });
  expect(sealed(false).failures).toEqual([]);
});

describe('the system tells by attributes, without opening a file', () => {
  test.each([
    ['an ordinary file', 0x20, false],
    ['FILE_ATTRIBUTE_OFFLINE', 0x1020, true],
    ['FILE_ATTRIBUTE_EA: a local file with extended attributes, as of WSL', 0x40020, false],
    ['FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS, as of OneDrive', 0x400020, true],
    ['a file that is always kept on this device', 0x80020, false],
    ['a file that is gone', -1, false],
    ['a file that is gone, unsigned', 0xffffffff, false],
  ])('Windows: %s', (_what, attributes, isOnline) => {
    const system = windowsOnlineFiles({ func: () => () => attributes });
    expect(system.isFileOnline(String.raw`C:\a`)).toBe(isOnline);
    expect(system.isFolderOnline(String.raw`C:\a`)).toBe(false);
  });

  test.each([
    ['an ordinary file', 0, 0, false],
    ['a dataless file', 0, 0x40000000, true],
    ['a hidden, compressed file', 0, 0x8020, false],
    ['a file that is gone', -1, 0x40000000, false],
  ])('macOS: %s', (_what, result, flags, isOnline) => {
    const system = macosOnlineFiles({
      func: () => (_path, asked, answer, size) => {
        // Five groups of attributes, and the flags alone.
        expect(Buffer.from(asked as Uint8Array).toString('hex')).toBe(`0500000000000400${'00'.repeat(16)}`);
        expect(size).toBe(8);
        (answer as Buffer).writeUInt32LE(flags, 4);
        return result;
      },
    });
    expect(system.isFileOnline('/a')).toBe(isOnline);
    expect(system.isFolderOnline('/a')).toBe(isOnline);
  });

  test.each([
    ['.report.pdf.icloud', 'report.pdf'],
    ['.a.icloud', 'a'],
    ['report.icloud', undefined],
    ['.icloud', undefined],
    ['..icloud', undefined],
    ['...icloud', undefined],
    ['....icloud', undefined],
  ])('%s stands for %s', (placeholder, name) => {
    expect(nameBehindIcloud(placeholder)).toBe(name);
  });
});
