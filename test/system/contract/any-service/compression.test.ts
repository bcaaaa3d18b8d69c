import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace, type BackupAnswer, type RestoreAnswer } from '../../e2e/workplace.ts';
import { compareTrees } from '../../../helpers/tree/compare.ts';
import { buildTree } from '../../../helpers/tree/build.ts';
import { directory, file } from '../../../helpers/tree/nodes.ts';
import { startStrictService, type StrictService } from '../../../helpers/strict-service/strict-service.ts';
import { openByInterface, subKeysOf } from './interface-blobs.ts';

/** A text of 400 KB, of which compression leaves little. */
const TEXT = Array.from({ length: 10_000 }, (_, line) => `line ${line} of a text with many others\n`).join('');

describe('chunks at a service that does not announce backup.compression', () => {
  let workplace: Workplace;
  let service: StrictService;
  let phrase: string;

  beforeEach(async () => {
    workplace = new Workplace();
    service = await startStrictService();
    await buildTree(workplace.path('source'), {
      'text.txt': file(TEXT),
      'large.bin': file({ seed: 4, size: 3_000_000 }),
      folder: directory({ 'small.txt': file('small'), 'other text.txt': file(TEXT.slice(1000)) }),
    });
  });
  afterEach(async () => {
    await service.close();
    workplace[Symbol.dispose]();
  });

  const signIn = (): string[] => {
    const key = workplace.write('device key', `${service.device.key}\n`);
    return ['--server', service.baseUrl, '--device-id', service.device.id, '--device-key-file', key];
  };
  const setUpAtService = async (): Promise<void> => {
    ({ recovery_phrase: phrase } = await workplace.json<{ recovery_phrase: string }>(['setup', ...signIn()]));
    await workplace.addSet('documents', workplace.path('source'));
  };
  const backUp = (...options: string[]): Promise<BackupAnswer & { readonly compression: string }> =>
    workplace.json(['backup', 'documents', ...options]);
  /** What is wrong with blobs, by an independent reader of the interface. */
  const refusedBlobs = (): string[] => {
    const subKeys = subKeysOf(phrase);
    return [...service.blobs].flatMap(([hash, blob]) => {
      const opened = openByInterface(hash, blob, subKeys);
      if (typeof opened === 'string') return `${hash}: ${opened}`;
      return blob.length === opened + 28 ? [] : `${hash}: ${blob.length} bytes for ${opened}`;
    });
  };
  const expectRestored = async (to: string): Promise<void> => {
    const answer = await workplace.json<RestoreAnswer>(['restore', 'documents', '--to', workplace.path(to)]);
    expect(answer).toMatchObject({ failures: [], warnings: [] });
    expect(await compareTrees(workplace.path('source'), workplace.path(to, 'source'))).toEqual([]);
  };

  test('are the plaintext, with 28 bytes more, and open by one rule, those of the reserved entries too', async () => {
    await setUpAtService();
    const answer = await backUp('--compression', 'max');
    expect(answer.compression).toBe('off');
    expect(answer.bytes_uploaded).toBe(answer.bytes_new + 28 * answer.chunks_new);
    expect(refusedBlobs()).toEqual([]);
    expect(service.departures).toEqual([]);
    await expectRestored('target');
    expect(await workplace.json(['verify', 'documents'])).toMatchObject({ failures: [] });
    const { stdout } = await workplace.run('backup', 'documents', '--compression', 'max');
    expect(stdout).toMatch(/Compression {2,}off: this service takes chunks only as they are/);
    expect((await workplace.run('backup', 'documents')).stdout).not.toContain('Compression');
  });

  test('are uncompressed there, and compressed at another destination of the same run', async () => {
    await setUpAtService();
    await workplace.json(['destination', 'add', '--destination', workplace.destination, '--name', 'disk']);
    const answer = await workplace.json<{
      destinations: { name: string; bytes_new: number; bytes_uploaded: number; compression: string }[];
    }>(['backup', 'documents']);
    const [atService, atDisk] = answer.destinations;
    expect(atService).toMatchObject({ compression: 'off' });
    expect(atDisk).toMatchObject({ name: 'disk', compression: 'default' });
    expect(atDisk!.bytes_uploaded).toBeLessThan(atDisk!.bytes_new - TEXT.length);
    expect(atService!.bytes_uploaded).toBeGreaterThan(atService!.bytes_new);
    expect(storedBytes(join(workplace.destination, 'packs'))).toBeLessThan(atService!.bytes_uploaded - TEXT.length);
    expect(refusedBlobs()).toEqual([]);
    expect(service.departures).toEqual([]);
    await expectRestored('target');
  });

  test('are sealed anew when they are copied from a destination where they are compressed, and back', async () => {
    phrase = await workplace.setUp();
    await workplace.addSet('documents', workplace.path('source'));
    await backUp();
    await workplace.json(['destination', 'add', ...signIn(), '--name', 'service']);
    const copied = await workplace.json<{ points_copied: number }>(['destination', 'copy', 'destination', 'service']);
    expect(copied.points_copied).toBe(1);
    expect(refusedBlobs()).toEqual([]);
    expect(service.departures).toEqual([]);
    const target = workplace.path('target');
    await workplace.json(['restore', 'documents', '--destination', 'service', '--to', target]);
    expect(await compareTrees(workplace.path('source'), join(target, 'source'))).toEqual([]);

    await workplace.json(['destination', 'add', '--destination', workplace.path('third'), '--name', 'third']);
    await workplace.json(['destination', 'copy', 'service', 'third']);
    await workplace.json(['restore', 'documents', '--destination', 'third', '--to', workplace.path('from third')]);
    expect(await compareTrees(workplace.path('source'), workplace.path('from third', 'source'))).toEqual([]);
    expect(await workplace.json(['check', '--destination', 'third', '--read-data'])).toMatchObject({
      findings: [],
      losses: [],
    });
  });

  test('stay readable when the service begins to announce it, and when it ends that', async () => {
    await setUpAtService();
    await backUp();
    service.announce('backup.compression');
    await buildTree(workplace.path('source'), { 'second.txt': file(TEXT.slice(2000)) });
    expect(await backUp()).toMatchObject({ compression: 'default' });
    await expectRestored('with it');
    service.announce();
    await buildTree(workplace.path('source'), { 'third.txt': file(TEXT.slice(3000)) });
    expect(await backUp()).toMatchObject({ compression: 'off' });
    await expectRestored('without it');
    expect(service.departures).toEqual([]);
  });

  test('are sealed as the service says once it says it, if it is busy for a moment', async () => {
    await setUpAtService();
    service.announce('backup.compression');
    const call = service.callsOf('capabilities') + 1;
    for (const at of [call, call + 1]) {
      service.script({ endpoint: 'capabilities', call: at, fault: { kind: 'status', status: 503, retryAfter: '0' } });
    }
    expect(await backUp()).toMatchObject({ compression: 'default' });
    expect(service.unfired()).toEqual([]);
    await expectRestored('target');
  });

  test('open when another program has sealed them with random IVs', async () => {
    await setUpAtService();
    await backUp();
    const subKeys = subKeysOf(phrase);
    let first = 0;
    for (const [hash, blob] of service.blobs) {
      const key = createHmac('sha256', subKeys.get(blob.readUInt16BE(1))!)
        .update(Buffer.from(hash.slice('sha256:'.length), 'hex'))
        .update('\u0001')
        .digest();
      const opening = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAuthTag(blob.subarray(-16));
      const plaintext = Buffer.concat([opening.update(blob.subarray(12, -16)), opening.final()]);
      const iv = randomBytes(12);
      // Each of the values that a byte can have, among them those that stand for a packing.
      iv[0] = first++ % 4;
      const sealing = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([iv, sealing.update(plaintext), sealing.final()]);
      service.blobs.set(hash, Buffer.concat([sealed, sealing.getAuthTag()]));
    }
    await expectRestored('target');
    expect(await workplace.json(['verify', 'documents'])).toMatchObject({ failures: [] });
  });
});

function storedBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0);
}
