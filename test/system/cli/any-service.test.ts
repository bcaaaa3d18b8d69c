import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace, type BackupAnswer } from '../e2e/workplace.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { directory, file, symlink } from '../../helpers/tree/nodes.ts';
import { startStrictService, type StrictService } from '../../helpers/strict-service/strict-service.ts';

/** The program with a service that implements only the interface, with both kinds of sign-in. */
describe("a service without Holdfast's extensions", () => {
  let workplace: Workplace;
  let service: StrictService;

  beforeEach(async () => {
    workplace = new Workplace();
    service = await startStrictService();
    await buildTree(workplace.path('source'), {
      'a.txt': file('content'),
      empty: file(''),
      folder: directory({ 'large.bin': file({ seed: 11, size: 2_500_000 }), link: symlink('../a.txt') }),
    });
  });
  afterEach(async () => {
    await service.close();
    workplace[Symbol.dispose]();
  });

  const asDevice = (): string[] => {
    const key = workplace.write('device key', `${service.device.key}\n`);
    return ['setup', '--server', service.baseUrl, '--device-id', service.device.id, '--device-key-file', key];
  };
  const asPerson = (...more: string[]): string[] => {
    const password = workplace.write('password', `${service.user.password}\n`);
    return ['setup', '--server', service.baseUrl, '--email', service.user.email, '--password-file', password, ...more];
  };

  test.each([
    ['as a device', () => asDevice()],
    ['as a person', () => asPerson('--code', service.code(), '--device-id', service.device.id)],
  ])('%s: backs up, lists, checks and restores', async (_name, setup) => {
    const { recovery_phrase: phrase } = await workplace.json<{ recovery_phrase: string }>(setup());
    await workplace.addSet('documents', workplace.path('source'));
    const first = await workplace.json<BackupAnswer>(['backup', 'documents']);
    const second = await workplace.json<BackupAnswer>(['backup', 'documents']);
    expect(second.chunks_new).toBeLessThan(first.chunks_new);

    const { points } = await workplace.json<{ points: { backup_id: string }[] }>(['points', 'documents']);
    expect(points.map((point) => point.backup_id)).toEqual([second.backup_id, first.backup_id]);
    const { entries } = await workplace.json<{ entries: { path: string }[] }>(['ls', 'documents', '--recursive']);
    expect(entries.map(({ path }) => path)).toContain(workplace.path('source/folder/large.bin'));
    expect(await workplace.json(['verify', 'documents'])).toMatchObject({ failures: [] });

    await workplace.json(['restore', 'documents', '--to', workplace.path('target')]);
    expect(await compareTrees(workplace.path('source'), workplace.path('target/source'))).toEqual([]);
    expect(await workplace.json(['devices'])).toMatchObject({
      devices: [expect.objectContaining({ id: service.device.id, this_device: true })],
    });
    expect(await workplace.json(['key', 'export'])).toEqual({ recovery_phrase: phrase });
    expect(service.departures).toEqual([]);
  });

  test('rejects a foreign key before anything is sent', async () => {
    await workplace.json(asDevice());
    await workplace.addSet('documents', workplace.path('source'));
    await workplace.json(['backup', 'documents']);
    const blobs = service.blobs.size;

    const home = workplace.path('second home');
    const run = (...words: string[]) => workplace.runAt(home, words);
    expect((await run(...asDevice())).status).toBe(0);
    expect((await run('set', 'add', 'documents', workplace.path('source'))).status).toBe(0);
    const refused = await run('backup', 'documents', '--json');
    expect(refused.status).toBe(4);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { code: 'phrase_other_account', message: expect.stringContaining('set up before this one') },
    });
    expect(service.blobs.size).toBe(blobs);
    expect(service.departures).toEqual([]);
  });

  test('requires a device id, since the service cannot register devices', async () => {
    const refused = await workplace.runAt(workplace.home, [...asPerson('--code', service.code()), '--json']);
    expect(refused.status).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'usage' } });
    expect((await workplace.run('status')).status).toBe(2);
  });

  test.each([
    [
      'a wrong password',
      'password_wrong',
      (): string[] => [...asPerson().slice(0, -1), workplace.write('wrong password', 'nonsense')],
    ],
    ['no code', 'code_needed', (): string[] => asPerson()],
    [
      'a wrong code',
      'code_wrong',
      (): string[] => asPerson('--code', service.code() === '000000' ? '111111' : '000000'),
    ],
    [
      'a wrong device key',
      'device_refused',
      (): string[] => [...asDevice().slice(0, -1), workplace.write('wrong key', 'nonsense')],
    ],
  ])('reports %s and saves nothing', async (_name, code, setup) => {
    const refused = await workplace.runAt(workplace.home, [...setup(), '--json']);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code } });
    expect(refused.status).toBe(4);
    expect((await workplace.run('status')).status).toBe(2);
  });
});
