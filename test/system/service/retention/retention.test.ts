import BetterSqlite from 'better-sqlite3';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RetentionAnswer, RetentionRequest } from '../../../../src/protocol/retention.ts';
import { chunk, file, TestService } from '../../../unit/service/harness.ts';
import type { Answer, TestDevice } from '../../../unit/service/harness.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PATH = '/functions/v1/retention';

/** A request without its set. */
type Asked = RetentionRequest extends infer Request
  ? Request extends RetentionRequest
    ? Omit<Request, 'device_id' | 'backup_set'>
    : never
  : never;

let service: TestService;
let device: TestDevice;
let owner: string;
beforeEach(async () => {
  service = await TestService.open();
  device = await service.register();
  owner = await signIn('owner');
});

/** A signed-in user of the account. */
async function signIn(role: string): Promise<string> {
  const { metadata, clock } = service.service.context;
  const database = new BetterSqlite(join(service.directory, 'metadata.sqlite'));
  const id = `usr_${role}`;
  database
    .prepare('INSERT INTO user (id, account_id, email, password_hash, role, created_at) VALUES (?, ?, ?, ?, ?, 0)')
    .run(id, service.accountId, `${role}@example.com`, '', role);
  database.close();
  const token = { hash: Buffer.from(role), expiresAt: clock.now() + 1_000 * DAY };
  await metadata.tokens.startFamily({ id: `fam_${role}`, userId: id }, token, clock.now());
  return id;
}

async function ask(request: Asked, user = owner, set = 'docs'): Promise<Answer> {
  const family = user.replace('usr', 'fam');
  await service.service.context.metadata.signIns.proved(family, service.clock.now());
  const claims = { kind: 'user', sub: user, account: service.accountId, family } as const;
  const token = await service.service.tokens.issue(claims, service.clock.now());
  return service.post(PATH, token, { device_id: device.id, backup_set: set, ...request });
}

async function askSuccessfully(request: Asked): Promise<RetentionAnswer> {
  const { status, body } = await ask(request);
  expect({ status, detail: body.detail as unknown }).toEqual({ status: 200, detail: undefined });
  return body as RetentionAnswer;
}

/** Creates a restore point with these contents, an hour after the previous one. */
async function backUp(contents: readonly string[], set = 'docs'): Promise<string> {
  service.clock.advance(HOUR);
  device = { ...device, token: await service.tokenOf(device.id) };
  const files = contents.map((content) => file(`/${content}`, [content]));
  const answer = await service.backUp(device, set, files);
  expect(answer.status).toBe(200);
  return answer.body.backup_id as string;
}

async function points(set = 'docs'): Promise<string[]> {
  const token = await service.tokenOf(device.id);
  const query = new URLSearchParams({ device_id: device.id, backup_set: set });
  const { body } = await service.call('GET', `/rest/v1/restore_points?${query.toString()}`, token);
  return (body.restore_points as { backup_id: string }[]).map(({ backup_id: id }) => id);
}

async function tidy(): Promise<void> {
  service.service.keepHouse();
  await service.service.tidy();
}

async function used(): Promise<number> {
  return (await service.service.context.metadata.accounts.findAccount(service.accountId))!.storageUsed;
}

function rows(table: string): number {
  const database = new BetterSqlite(join(service.directory, 'metadata.sqlite'), { readonly: true });
  const count = database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!;
  database.close();
  return count;
}

/** Runs of these tests are an hour apart. */
const lastHour = { keep_all_days: 0, hourly: 1, daily: 0, weekly: 0, monthly: 0, yearly: 0, time_zone: 'UTC' };

test('keeps everything without a policy', async () => {
  const all = [await backUp(['a']), await backUp(['b'])];
  expect((await askSuccessfully({ action: 'apply' })).removed).toBe(0);
  service.clock.advance(1_000 * DAY);
  await tidy();
  expect(await points()).toEqual(all.toReversed());
});

test('removes restore points by policy, and frees their space a day later', async () => {
  await backUp(['kept', 'gone', 'both']);
  await backUp(['kept', 'both', 'in between']);
  const last = await backUp(['kept', 'new']);
  await backUp(['both'], 'photos');
  const preview = await askSuccessfully({ action: 'preview', policy: lastHour });
  const bytes = 'gone'.length + 'in between'.length + 2 * 28;
  const at = new Date(service.clock.now() + DAY).toISOString();
  expect(preview).toMatchObject({ removed: 2, frees: [{ at, bytes }] });
  expect(await points()).toHaveLength(3);

  await askSuccessfully({ action: 'set', policy: lastHour });
  const before = await used();
  expect(await askSuccessfully({ action: 'apply' })).toMatchObject({ removed: 2, frees: [{ at, bytes }] });
  expect(await points()).toEqual([last]);
  await tidy();
  const freeing = (await askSuccessfully({ action: 'show' })).state.freeing;
  expect(freeing).toEqual([{ at, bytes }]);
  service.clock.advance(DAY - 1);
  await tidy();
  expect(await used()).toBe(before);
  service.clock.advance(1);
  await tidy();
  expect(await used()).toBe(before - bytes);
  expect(rows('file_version')).toBe(3);
  const tree = await service.manifest({ ...device, token: await service.tokenOf(device.id) }, 'docs');
  expect((tree.body.files as { path: string }[]).map(({ path }) => path)).toEqual(['/kept', '/new']);
});

test('leaves remaining restore points unchanged, and finds the previous one for the time of a removed one', async () => {
  const trees = [['a', 'x'], ['a', 'b'], ['b', 'x'], ['a'], ['a', 'x']];
  const ids: string[] = [];
  const times: number[] = [];
  for (const tree of trees) {
    ids.push(await backUp(tree));
    times.push(service.clock.now());
  }
  for (const gone of [1, 3]) await askSuccessfully({ action: 'remove', backup_id: ids[gone]! });
  await tidy();
  service.clock.advance(2 * DAY);
  await tidy();
  for (const [at, tree] of [
    [0, 0],
    [1, 0],
    [2, 2],
    [3, 2],
    [4, 4],
  ] as const) {
    const fresh = { ...device, token: await service.tokenOf(device.id) };
    const answer = await service.manifest(fresh, 'docs', { point_in_time: new Date(times[at]!).toISOString() });
    expect((answer.body.files as { path: string }[]).map(({ path }) => path.slice(1))).toEqual(trees[tree]);
    const { restore_session_id: id, files } = answer.body as {
      restore_session_id: string;
      files: { chunks: string[] }[];
    };
    const presign = await service.post('/functions/v1/restore/presign', fresh.token, {
      restore_session_id: id,
      chunk_hashes: files.flatMap(({ chunks }) => chunks),
    });
    for (const { url } of presign.body.downloads as { url: string }[]) {
      expect((await service.call('GET', url)).status).toBe(200);
    }
  }
});

test('applies a policy automatically once a day, beginning a day after it was set', async () => {
  await backUp(['a']);
  await backUp(['b']);
  await askSuccessfully({ action: 'set', policy: lastHour });
  service.clock.advance(DAY);
  await tidy();
  expect(await points()).toHaveLength(2);
  service.clock.advance(1);
  await tidy();
  expect(await points()).toHaveLength(1);
});

test('keeps a restore point of each day when the clock was far ahead once', async () => {
  service.clock.advance(4 * 365 * DAY);
  await backUp(['ahead']);
  service.clock.advance(-4 * 365 * DAY);
  const days: string[] = [];
  for (let day = 0; day < 5; day += 1) {
    service.clock.advance(DAY - HOUR);
    days.unshift(await backUp([`day ${day}`]));
  }
  await askSuccessfully({ action: 'set', policy: { ...lastHour, hourly: 0, daily: 4 } });
  await askSuccessfully({ action: 'apply' });
  expect(await points()).toEqual(days.slice(0, 4));
});

test('keeps the last days when the clock was far ahead during the newest run', async () => {
  const first = await backUp(['a']);
  const second = await backUp(['b']);
  service.clock.advance(4 * 365 * DAY);
  const ahead = await backUp(['c']);
  service.clock.advance(-4 * 365 * DAY);
  await askSuccessfully({ action: 'set', policy: { ...lastHour, hourly: 0, keep_all_days: 1 } });
  await askSuccessfully({ action: 'apply' });
  expect(await points()).toEqual([ahead, second, first]);
});

describe('a restore point is protected', () => {
  test('if it is the newest or pinned', async () => {
    const [first, second] = [await backUp(['a']), await backUp(['b'])];
    expect((await ask({ action: 'remove', backup_id: second })).status).toBe(409);
    await askSuccessfully({ action: 'pin', backup_id: first });
    const refused = await ask({ action: 'remove', backup_id: first });
    expect(refused.body).toMatchObject({ status: 409, detail: 'the restore point is pinned' });
    await askSuccessfully({ action: 'set', policy: lastHour });
    expect((await askSuccessfully({ action: 'apply' })).removed).toBe(0);
    await askSuccessfully({ action: 'unpin', backup_id: first });
    expect((await askSuccessfully({ action: 'apply' })).removed).toBe(1);
    expect(await points()).toEqual([second]);
  });

  test('by a minimum of the set or the account that never becomes shorter, even if the clock changes', async () => {
    const first = await backUp(['a']);
    const made = service.clock.now();
    await backUp(['b']);
    await askSuccessfully({ action: 'lock', scope: 'set', minimum_days: 10 });
    const shorter = await ask({ action: 'lock', scope: 'set', minimum_days: 9 });
    expect(shorter.body).toMatchObject({ status: 409, code: 'conflict' });
    await askSuccessfully({ action: 'lock', scope: 'account', minimum_days: 30 });
    const { state } = await askSuccessfully({ action: 'show' });
    expect(state).toMatchObject({ minimum_days: 30, account_minimum_days: 30 });
    expect(state.points[1]!.locked_until).toBe(new Date(made + 30 * DAY).toISOString());
    // Restore points that only the lock keeps are listed with the time at which their space is freed.
    const preview = await askSuccessfully({ action: 'preview', policy: lastHour });
    expect(preview.frees).toEqual([{ at: new Date(made + 31 * DAY).toISOString(), bytes: 29 }]);
    // A clock that is set back creates a restore point that looks old, but is locked as long as any other.
    service.clock.advance(-400 * DAY);
    const old = await backUp(['c'], 'photos');
    await backUp(['d'], 'photos');
    service.clock.advance(400 * DAY);
    for (const [id, set] of [
      [first, 'docs'],
      [old, 'photos'],
    ] as const) {
      const refused = await ask({ action: 'remove', backup_id: id }, owner, set);
      expect(refused.body.detail).toMatch(/^the restore point is locked until /);
    }
    service.clock.advance(30 * DAY);
    expect((await askSuccessfully({ action: 'remove', backup_id: first })).removed).toBe(1);
  });

  test('by a session that is relative to it, and for a day by a restore of it', async () => {
    const first = await backUp(['a']);
    const open = await service.init(device, 'docs', [file('/z', ['z'])]);
    const second = await backUp(['b']);
    const third = await backUp(['c']);
    const remove = (id: string) => ask({ action: 'remove', backup_id: id });
    expect((await remove(first)).body.detail).toMatch(/works with/);
    await service.post('/functions/v1/backup/abort', device.token, { session_id: open.body.session_id });
    expect((await remove(first)).status).toBe(200);
    const time = new Date(service.clock.now() - HOUR).toISOString();
    expect((await service.manifest(device, 'docs', { point_in_time: time })).status).toBe(200);
    expect((await remove(second)).body.detail).toMatch(/works with/);
    service.clock.advance(DAY);
    expect((await remove(second)).status).toBe(200);
    expect(await points()).toEqual([third]);
  });

  test('by a restore that takes weeks, until a day after its last request', async () => {
    const contents = Array.from({ length: 20 }, (_, index) => `file ${index}`);
    const first = await backUp(contents);
    await backUp(['b']);
    const manifest = await service.manifest(device, 'docs', {
      point_in_time: new Date(service.clock.now() - HOUR).toISOString(),
    });
    const id = manifest.body.restore_session_id as string;
    const fetched = async (content: string): Promise<number> => {
      const request = { restore_session_id: id, chunk_hashes: [chunk(content).hash] };
      const token = await service.tokenOf(device.id);
      return (await service.post('/functions/v1/restore/presign', token, request)).status;
    };
    await askSuccessfully({ action: 'set', policy: lastHour });
    for (const content of contents.slice(0, -1)) {
      service.clock.advance(23 * HOUR);
      await tidy();
      expect(await fetched(content)).toBe(200);
    }
    expect((await ask({ action: 'remove', backup_id: first })).body.detail).toMatch(/works with/);
    service.clock.advance(DAY);
    await tidy();
    expect(await points()).not.toContain(first);
  });

  test('after a run that looked like ransomware, until a user releases it', async () => {
    const first = await backUp(['a']);
    await backUp(['b']);
    await backUp(['c']);
    await askSuccessfully({ action: 'remove', backup_id: first });
    await tidy();
    const { retention } = service.service.context.metadata;
    await retention.hold(service.accountId, service.clock.now());
    await askSuccessfully({ action: 'set', policy: lastHour });
    const before = await used();
    expect((await askSuccessfully({ action: 'apply' })).removed).toBe(0);
    service.clock.advance(40 * DAY);
    await tidy();
    expect([await used(), (await points()).length]).toEqual([before, 2]);
    const released = await askSuccessfully({ action: 'release' });
    expect(released.state.held_since).toBeNull();
    expect((await askSuccessfully({ action: 'apply' })).removed).toBe(1);
    await tidy();
    expect(await used()).toBe(before - 29);
    service.clock.advance(DAY);
    await tidy();
    expect(await used()).toBe(before - 58);
  });
});

test('allows removals and decisions to owners and admins only, and reading to devices', async () => {
  const id = await backUp(['a']);
  await backUp(['b']);
  const member = await signIn('member');
  const admin = await signIn('admin');
  const changes: readonly Asked[] = [
    { action: 'set', policy: { ...lastHour, keep_all_days: 1 } },
    { action: 'apply' },
    { action: 'pin', backup_id: id },
    { action: 'unpin', backup_id: id },
    { action: 'lock', scope: 'set', minimum_days: 0 },
    { action: 'release' },
    { action: 'remove', backup_id: id },
  ];
  for (const change of changes) {
    expect((await ask(change, member)).status).toBe(403);
    const byDevice = await service.post(PATH, device.token, { device_id: device.id, backup_set: 'docs', ...change });
    expect(byDevice.status).toBe(403);
  }
  const shown = await service.post(PATH, device.token, { device_id: device.id, backup_set: 'docs', action: 'show' });
  expect(shown.status).toBe(200);
  expect((shown.body as RetentionAnswer).state.points).toHaveLength(2);
  for (const change of changes) expect((await ask(change, admin)).status).toBe(200);
  expect((await service.post(PATH, undefined, { action: 'show' })).status).toBe(401);
  expect((await ask({ action: 'show' }, owner, 'music')).status).toBe(404);
  const other = await service.service.context.metadata.accounts.createAccount(0);
  const stranger = await service.register(other.id);
  const foreign = { device_id: device.id, backup_set: 'docs', action: 'show' };
  const detail = 'no such device in this account';
  expect(await service.post(PATH, stranger.token, foreign)).toMatchObject({ status: 404, body: { detail } });
});

test('deletes the chunks of failed sessions a week and a day later', async () => {
  await backUp(['a']);
  await tidy();
  const init = await service.init(device, 'docs', [file('/x', [chunk('stored'), chunk('missing')])]);
  const { hash, blob } = chunk('stored');
  expect((await service.put(device, init.body.session_id as string, hash, blob)).status).toBe(200);
  await service.post('/functions/v1/backup/abort', device.token, { session_id: init.body.session_id });
  const before = await used();
  service.clock.advance(7 * DAY);
  await tidy();
  service.clock.advance(DAY);
  await tidy();
  expect(await used()).toBe(before - 'stored'.length - 28);
  expect(rows('chunk')).toBe(1);
});
