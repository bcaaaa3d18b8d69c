import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { contentHandlers } from '../../../../../src/agent/host/restores/content-handlers.ts';
import { privateContentMethods } from '../../../../../src/ipc/contract/restore/preview.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';

describe('reading one file of a restore point', () => {
  let fixture: HandlerFixture;
  let ask: Call<typeof privateContentMethods>;
  beforeEach(async () => {
    fixture = new HandlerFixture();
    const destination = { kind: 'folder', directory: fixture.path('backups') } as const;
    await fixture.agent.setup({ destination, deviceName: 'laptop' });
    ask = fixture.ask(privateContentMethods, contentHandlers(fixture.host()));
    fixture.write('docs/a/first');
    await fixture.agent.addSet({
      form: {
        name: 'docs',
        roots: [fixture.path('docs')],
        excludes: [],
        oneFileSystem: false,
        privateNames: true,
      },
    });
  });
  afterEach(() => fixture.close());

  const backUp = async (): Promise<string> => (await fixture.agent.backup({ set: 'docs' }, {})).restorePoint!;
  const read = (restorePoint: string, name: string, most = 50_000_000) =>
    ask('content.read', { file: { set: 'docs', restorePoint, path: fixture.path(name) }, most });

  test('returns the bytes of each version, of many chunks too', async () => {
    const [before, after] = [randomBytes(20_000_000), randomBytes(300)];
    writeFileSync(fixture.path('docs/file'), before);
    const first = await backUp();
    writeFileSync(fixture.path('docs/file'), after);
    const second = await backUp();
    const [old, present] = await Promise.all([read(first, 'docs/file'), read(second, 'docs/file')]);
    expect(Buffer.from(old.bytes!).equals(before)).toBe(true);
    expect(present).toMatchObject({ size: 300 });
    expect(Buffer.from(present.bytes!).equals(after)).toBe(true);
  });

  test('returns no bytes of a file that is larger than wanted', async () => {
    writeFileSync(fixture.path('docs/file'), randomBytes(1_001));
    const point = await backUp();
    expect(await read(point, 'docs/file', 1_000)).toEqual({ size: 1_001 });
    expect((await read(point, 'docs/file', 1_001)).bytes).toHaveLength(1_001);
  });

  test('fails for what is no file, or not there', async () => {
    const point = await backUp();
    for (const name of ['docs/a', 'docs/none']) {
      expect(await failureFrom(read(point, name))).toMatchObject({ code: 'path_not_found' });
    }
  });

  test('fails if a chunk is damaged', async () => {
    writeFileSync(fixture.path('docs/file'), randomBytes(400_000));
    const point = await backUp();
    for (const entry of readdirSync(fixture.path('backups'), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !path.includes('pack')) continue;
      const bytes = readFileSync(path);
      if (bytes.length < 300_000) continue;
      bytes.fill(0, 200_000, 200_064);
      writeFileSync(path, bytes);
    }
    expect(await failureFrom(read(point, 'docs/file'))).toMatchObject({ code: expect.stringMatching(/^chunk_/) });
  });
});
