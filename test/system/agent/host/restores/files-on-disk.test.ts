import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesOnDisk, readFileOnDisk } from '../../../../../src/agent/host/restores/files-on-disk.ts';
import { failureFrom } from '../../../../unit/agent/host/handler-fixture.ts';

describe('files on disk', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-disk-'));
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/file'), 'four');
    writeFileSync(join(folder, 'secret'), 'outside');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const at = (name: string): string => join(folder, name);
  const read = (name: string, most = 100) =>
    readFileOnDisk({ sets: [{ roots: [at('docs')] }] as never }, at(name), most);

  test('names what is there, and leaves out what is gone', async () => {
    const found = await filesOnDisk([at('docs/file'), at('docs/none'), at('docs/file/below'), at('docs')]);
    expect(found).toMatchObject([
      { path: at('docs/file'), kind: 'file', size: 4 },
      { path: at('docs'), kind: 'directory' },
    ]);
  });

  test('reads a file below the folders of a set only', async () => {
    expect(Buffer.from((await read('docs/file')).bytes!).toString()).toBe('four');
    expect(await read('docs/file', 3)).toEqual({ size: 4 });
    expect(await failureFrom(read('secret'))).toMatchObject({ code: 'path_not_found' });
    expect(await failureFrom(read('docs/none'))).toMatchObject({ code: 'path_not_found' });
  });

  test.skipIf(process.platform === 'win32')('follows no link, and waits for no pipe', async () => {
    symlinkSync(at('secret'), at('docs/link'));
    execFileSync('mkfifo', [at('docs/pipe')]);
    for (const name of ['docs/link', 'docs/pipe', 'docs']) {
      expect(await failureFrom(read(name))).toMatchObject({ code: 'path_not_found' });
    }
  });
});
