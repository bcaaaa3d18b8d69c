import { rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccount } from '../../../src/service/accounts.ts';
import { CHEAP } from '../../helpers/service/cheap-passwords.ts';
import { SmallDisk } from '../../helpers/small-disk.ts';
import { DAY, HOUR } from '../../../src/model/units.ts';
import { chunk, file, temporaryDirectory, TestClock, TestService } from '../../unit/service/harness.ts';
import type { Answer, TestChunk } from '../../unit/service/harness.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery staple';

const canMount = process.getuid?.() === 0;

describe.skipIf(!canMount)('on a disk without a free byte', () => {
  let disk: SmallDisk;
  let clock: TestClock;
  let secret: string;
  let service: TestService;
  const data = (): string => join(disk.folder, 'data');

  beforeEach(async () => {
    disk = SmallDisk.mount(join(await temporaryDirectory(), 'disk'), '24m')!;
    clock = new TestClock();
    secret = (await createAccount(data(), { email: EMAIL, password: PASSWORD }, { passwordCost: CHEAP })).totp_secret;
    service = await TestService.open(data(), clock);
  });
  afterEach(async () => {
    await service.close();
    disk[Symbol.dispose]();
  });

  const reopen = async (): Promise<void> => {
    await service.close();
    disk.fill();
    service = await TestService.open(data(), clock);
  };
  const codeNow = (): string => new TOTP({ secret }).generate({ timestamp: clock.now() });
  const password = (typed = PASSWORD): Promise<Answer> =>
    service.post('/auth/v1/token?grant_type=password', undefined, { email: EMAIL, password: typed });
  const refresh = (token: string): Promise<Answer> =>
    service.post('/auth/v1/token?grant_type=refresh_token', undefined, { refresh_token: token });
  const verify = ({ body }: Answer, code: string): Promise<Answer> =>
    service.post(`/auth/v1/factors/${body.factors[0].id}/verify`, body.mfa_token as string, { code });
  const signIn = async (): Promise<{ readonly access: string; readonly refresh: string }> => {
    clock.advance(30_000);
    const { status, body } = await verify(await password(), codeNow());
    expect(status).toBe(200);
    return { access: body.access_token as string, refresh: body.refresh_token as string };
  };
  const files = (chunks: readonly TestChunk[]) => chunks.map((one, index) => file(`/${index}`, [one]));
  const reserved = (): number => statSync(join(data(), 'reserve')).size;
  const free = (): number => {
    const { bavail, bsize } = statfsSync(disk.folder);
    return bavail * bsize;
  };
  const restored = async (token: string, device: string): Promise<readonly string[]> => {
    const { status, body } = await service.post('/functions/v1/restore/manifest', token, {
      device_id: device,
      backup_set: 'docs',
      point_in_time: '2100-01-01T00:00:00Z',
      path: '',
      recursive: true,
    });
    expect(status).toBe(200);
    const hashes = body.files.flatMap(({ chunks }: { chunks: string[] }) => chunks) as string[];
    for (const hash of hashes) {
      const id = body.restore_session_id as string;
      const one = await service.post('/functions/v1/restore/presign', token, {
        restore_session_id: id,
        chunk_hashes: [hash],
      });
      expect(one.status).toBe(200);
      expect((await service.call('GET', one.body.downloads[0].url as string)).status).toBe(200);
    }
    return hashes;
  };

  test.for(['while it runs', 'after a restart'])('a known and a new computer sign in and restore %s', async (when) => {
    const { refresh: token } = await signIn();
    const known = await service.register();
    const chunks = [chunk('first'), chunk(300_000)];
    expect((await service.backUp(known, 'docs', files(chunks))).status).toBe(200);
    if (when === 'after a restart') await reopen();
    else disk.fill();

    let current = token;
    for (let hour = 0; hour < 30; hour += 1) {
      clock.advance(3_600_000);
      const renewed = await refresh(current);
      expect(renewed.status).toBe(200);
      current = renewed.body.refresh_token as string;
    }
    for (let computer = 0; computer < 5; computer += 1) {
      const fresh = await signIn();
      const added = await service.post('/functions/v1/devices', fresh.access, {
        name: 'new',
        os: 'linux',
        agent_version: '1',
      });
      expect(added.status).toBe(200);
      expect(await restored(fresh.access, known.id)).toEqual(chunks.map(({ hash }) => hash));
    }
    expect(await restored(await service.tokenOf(known.id), known.id)).toHaveLength(2);
    // The log of the database is written over: a full disk is survived for long.
    expect(reserved()).toBeGreaterThan(500_000);
  });

  test('spent tokens and codes stay spent, and wrong guesses count', async () => {
    const first = await signIn();
    await reopen();
    const second = (await refresh(first.refresh)).body.refresh_token as string;
    const third = await refresh(second);
    expect(third.status).toBe(200);
    clock.advance(60_000);
    // Whoever shows a spent one has stolen it, or was stolen from.
    expect((await refresh(first.refresh)).status).toBe(401);
    expect((await refresh(third.body.refresh_token as string)).status).toBe(401);

    clock.advance(30_000);
    const asked = await password();
    const code = codeNow();
    expect((await verify(asked, code)).status).toBe(200);
    expect((await verify(asked, code)).status).toBe(401);
    expect((await verify(await password(), code)).status).toBe(401);

    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess += 1) statuses.push((await password('wrong')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('backups leave what is kept for signing in alone, and go on when there is room', async () => {
    const device = await service.register();
    expect((await service.backUp(device, 'docs', files([chunk('first')]))).status).toBe(200);
    const reserve = reserved();
    await reopen();
    await signIn();
    const left = reserved();
    expect(left).toBeLessThan(reserve);
    for (let run = 0; run < 3; run += 1) {
      const refused = await service.backUp(device, 'docs', files([chunk(`second ${run}`)]));
      expect(refused).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } });
    }
    expect(reserved()).toBe(left);
    disk.empty();
    expect((await service.backUp(device, 'docs', files([chunk('third')]))).status).toBe(200);
    expect(reserved()).toBe(reserve);
  });

  test('a session that began before uploads nothing into what is kept', async () => {
    const device = await service.register();
    const one = chunk('late');
    const begun = await service.init(device, 'docs', files([one]));
    await reopen();
    await signIn();
    const left = reserved();
    const refused = await service.put(device, begun.body.session_id as string, one.hash, one.blob);
    expect(refused).toMatchObject({ status: 507 });
    expect(reserved()).toBe(left);
    disk.empty();
    expect((await service.put(device, begun.body.session_id as string, one.hash, one.blob)).status).toBeLessThan(300);
  });

  test('with no room left at all a sign-in is renewed or refused, and none is lost', async () => {
    await reopen();
    let { refresh: token } = await signIn();
    rmSync(join(data(), 'reserve'));
    disk.fill();
    const statuses = new Set<number>();
    for (let hour = 0; hour < 300; hour += 1) {
      clock.advance(3_600_000);
      const { status, body } = await refresh(token);
      statuses.add(status);
      if (status === 200) token = body.refresh_token as string;
    }
    expect([200, 507]).toEqual(expect.arrayContaining([...statuses]));
    disk.empty();
    expect((await refresh(token)).status).toBe(200);
  });

  test('removed restore points free their room', async () => {
    const device = await service.register();
    const large = chunk(3_000_000);
    expect((await service.backUp(device, 'docs', files([large, chunk('small')]))).status).toBe(200);
    clock.advance(HOUR);
    expect(
      (await service.backUp({ ...device, token: await service.tokenOf(device.id) }, 'docs', files([chunk('other')])))
        .status,
    ).toBe(200);
    await reopen();
    const { access } = await signIn();
    service.service.keepHouse();
    const ask = (body: object): Promise<Answer> =>
      service.post('/functions/v1/retention', access, { device_id: device.id, backup_set: 'docs', ...body });
    expect((await ask({ action: 'set', policy: { hourly: 1 } })).status).toBe(200);
    expect(await ask({ action: 'apply' })).toMatchObject({ status: 200, body: { removed: 1 } });
    await service.service.tidy();
    // The blobs of what was removed are kept for a day, for sessions that rely on them.
    clock.advance(DAY);
    await service.service.tidy();
    expect(free()).toBeGreaterThan(large.size);
  });
});
