import { describe, expect, test } from 'vitest';
import { putBlobs } from '../../../src/service/backup/put-blobs.ts';
import { chunk, file } from '../harness.ts';
import type { TestDevice } from '../harness.ts';
import { DAY, ErasureService, STORES } from '../erasure/erasure-service.ts';

const SIZE = 1_000;

/** A member with a laptop and a quota of three files of `SIZE`, and an owner with a desk. */
async function situation(open = STORES[0]![1]) {
  const fixture = await ErasureService.open(open);
  const mia = await fixture.join('mia@example.org', 'member');
  const laptop = await fixture.addDevice('Laptop', mia);
  const desk = await fixture.addDevice('Desk', fixture.owner.id);
  const limit = async (bytes: number | null, by = fixture.owner.id) =>
    fixture.service.call('PATCH', `/auth/v1/members/${mia}`, await fixture.tokenOf(by), { quota_bytes: bytes });
  await limit(3 * SIZE);
  const backUp = async (device: TestDevice, set: string, ...chunks: readonly ReturnType<typeof chunk>[]) => {
    const files = chunks.map((one, index) => file(`/${index}`, [one]));
    const refused = (error: Error) => ({ status: Number(/^init answered (\d+)$/.exec(error.message)![1]) });
    return (await fixture.backUp(device, set, files).catch(refused)).status;
  };
  const used = async () => {
    const { body } = await fixture.service.call('GET', '/auth/v1/members', await fixture.tokenOf(fixture.owner.id));
    return (body.members as { id: string; used_bytes: number }[]).find(({ id }) => id === mia)!.used_bytes;
  };
  return { fixture, mia, laptop, desk, limit, backUp, used };
}

const chunks = (count: number) => Array.from({ length: count }, () => chunk(SIZE));

describe.each(STORES.slice(0, 2))('a quota of a person with %s', (_, open) => {
  test('counts all sets of the devices that the person registered, and nothing else', async () => {
    const { backUp, laptop, desk, used } = await situation(open);
    expect(await backUp(laptop, 'a', ...chunks(2))).toBe(200);
    expect(await backUp(desk, 'a', ...chunks(9))).toBe(200);
    expect(await used()).toBe(2 * SIZE);
    expect(await backUp(laptop, 'b', ...chunks(2))).toBe(413);
    expect(await backUp(laptop, 'b', ...chunks(1))).toBe(200);
    expect(await used()).toBe(3 * SIZE);
  });

  test('counts files that others have stored already', async () => {
    const { backUp, laptop, desk } = await situation(open);
    const same = chunks(4);
    expect(await backUp(desk, 'a', ...same)).toBe(200);
    expect(await backUp(laptop, 'a', ...same)).toBe(413);
    expect(await backUp(laptop, 'a', ...same.slice(1))).toBe(200);
  });

  test('counts what earlier restore points brought until they are removed', async () => {
    const { fixture, backUp, laptop, used } = await situation(open);
    expect(await backUp(laptop, 'a', ...chunks(2))).toBe(200);
    expect(await backUp(laptop, 'a', ...chunks(1))).toBe(200);
    expect(await used()).toBe(3 * SIZE);
    expect(await backUp(laptop, 'a', ...chunks(1))).toBe(413);
    const { retention, sessions } = fixture.context.metadata;
    const set = await sessions.findSet(laptop.id, 'a');
    const reference = { accountId: fixture.accountId, setNumber: set!.number };
    await fixture.pass(2 * DAY);
    await retention.remove(reference, fixture.now(), ({ points }) => [points[0]!.session]);
    expect(await used()).toBe(SIZE);
    expect(await backUp(laptop, 'a', ...chunks(2))).toBe(200);
  });
});

describe('a quota of a person', () => {
  test('permits what does not grow when it was lowered, and everything once it is taken away', async () => {
    const { backUp, laptop, limit } = await situation();
    const three = chunks(3);
    expect(await backUp(laptop, 'a', ...three)).toBe(200);
    expect((await limit(SIZE)).status).toBe(200);
    expect(await backUp(laptop, 'a', ...three)).toBe(200);
    expect(await backUp(laptop, 'a', ...three.slice(1))).toBe(200);
    expect(await backUp(laptop, 'a', ...three, ...chunks(1))).toBe(413);
    expect((await limit(null)).status).toBe(200);
    expect(await backUp(laptop, 'a', ...three, ...chunks(1))).toBe(200);
  });

  test('counts another session that is open', async () => {
    const { fixture, backUp, laptop } = await situation();
    await fixture.begin(laptop, 'a', [file('/0', chunks(2))]);
    expect(await backUp(laptop, 'b', ...chunks(2))).toBe(413);
    expect(await backUp(laptop, 'b', ...chunks(1))).toBe(200);
  });

  test('does not count a session of the same set that was given up', async () => {
    const { fixture, backUp, laptop } = await situation();
    const two = chunks(2);
    for (let times = 0; times < 2; times += 1) await fixture.init(laptop, 'a', [file('/0', two)]);
    expect(await backUp(laptop, 'a', ...two)).toBe(200);
  });

  test('applies to presign before a manifest, and counts a repeated request once', async () => {
    const { fixture, laptop } = await situation();
    const { service } = fixture;
    const { body } = await service.openSession(laptop, 'a');
    const ask = async (offered: ReturnType<typeof chunks>) =>
      service.post('/functions/v1/backup/presign', laptop.token, {
        session_id: body.session_id,
        chunks: offered.map(({ hash, blob }) => ({ chunk_hash: hash, chunk_size: blob.length })),
      });
    const three = chunks(3);
    expect((await ask(three)).status).toBe(200);
    expect((await ask(three)).status).toBe(200);
    expect(await ask(chunks(1))).toMatchObject({ status: 413, body: { code: 'quota_exceeded' } });
  });

  test('applies to packs before a manifest', async () => {
    const { fixture, laptop } = await situation();
    const { body } = await fixture.service.openSession(laptop, 'a');
    const session = await fixture.context.metadata.sessions.find(body.session_id as string);
    const blobs = (count: number) => chunks(count).map(({ hash, size, blob: bytes }) => ({ hash, size, bytes }));
    await putBlobs(fixture.context, session!, blobs(3));
    await expect(putBlobs(fixture.context, session!, blobs(1))).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  test('is set by admins with a code, and recorded', async () => {
    const { fixture, mia, limit } = await situation();
    const adam = await fixture.join('adam@example.org', 'admin');
    expect((await limit(5, mia)).status).toBe(403);
    expect((await limit(5, adam)).status).toBe(200);
    expect((await limit(0)).status).toBe(400);
    const [entry] = await fixture.context.metadata.audit.list(fixture.accountId, { limit: 1 });
    const token = await fixture.tokenOf(fixture.owner.id);
    expect(entry).toMatchObject({ kind: 'sign_in.succeeded' });
    const { body } = await fixture.service.call('GET', '/auth/v1/audit', token);
    const changed = (body.entries as { kind: string }[]).find(({ kind }) => kind === 'member.quota_changed');
    expect(changed).toMatchObject({ user_id: adam, details: { member: mia, limit_bytes: '5' } });
    const unknown = await fixture.service.call('PATCH', '/auth/v1/members/usr_x', token, { quota_bytes: 5 });
    expect(unknown.status).toBe(404);
  });
});
