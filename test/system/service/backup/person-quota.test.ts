import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { putBlobs } from '../../../../src/service/backup/put-blobs.ts';
import { chunk, file } from '../../../unit/service/harness.ts';
import type { TestDevice } from '../../../unit/service/harness.ts';
import { DAY, ErasureService, STORES } from '../erasure/erasure-service.ts';
import { orThorough } from '../../../helpers/thorough.ts';

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
  /** Returns the session; `undefined` if it is refused. */
  const begin = async (device: TestDevice, set: string, some: readonly ReturnType<typeof chunk>[]) =>
    fixture.begin(device, set, [file('/0', some)]).catch(() => undefined);
  const complete = async (device: TestDevice, session: string | undefined) =>
    session === undefined ? undefined : fixture.service.complete(device, session);
  return { fixture, mia, laptop, desk, limit, backUp, begin, complete, used };
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

  test('stays with the devices of a member who was removed, and can be changed until they are erased', async () => {
    const { fixture, mia, limit, backUp, laptop } = await situation(open);
    expect(await backUp(laptop, 'a', ...chunks(2))).toBe(200);
    const token = await fixture.tokenOf(fixture.owner.id);
    expect((await fixture.service.call('DELETE', `/auth/v1/members/${mia}`, token)).status).toBe(200);
    expect(await backUp(laptop, 'b', ...chunks(2))).toBe(413);
    expect((await limit(4 * SIZE)).status).toBe(200);
    expect(await backUp(laptop, 'b', ...chunks(2))).toBe(200);
    expect(await backUp(laptop, 'c', ...chunks(1))).toBe(413);
    expect((await limit(null)).status).toBe(200);
    expect(await backUp(laptop, 'c', ...chunks(9))).toBe(200);
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

describe.each(STORES.slice(0, 2))('a quota of a person with %s holds', (_, open) => {
  test('when manifests of one set arrive at once', async () => {
    const { begin, complete, laptop, used } = await situation(open);
    const begun = await Promise.all(Array.from({ length: 5 }, () => begin(laptop, 'a', chunks(2))));
    for (const session of begun) await complete(laptop, session);
    expect(await used()).toBeLessThanOrEqual(3 * SIZE);
  });

  test('when manifests of several sets arrive at once', async () => {
    const { begin, complete, laptop, used } = await situation(open);
    const begun = await Promise.all(['a', 'b', 'c', 'd'].map((set) => begin(laptop, set, chunks(2))));
    for (const session of begun) await complete(laptop, session);
    expect(await used()).toBe(2 * SIZE);
  });

  test('when sessions wait for their manifests', async () => {
    const { fixture, laptop } = await situation(open);
    const answers: number[] = [];
    for (const set of ['a', 'b', 'c']) {
      const { body } = await fixture.service.openSession(laptop, set);
      answers.push((await offer(fixture, laptop, body.session_id as string, chunks(2))).status);
    }
    expect(answers).toEqual([200, 413, 413]);
  });

  test('when the chunks of one session are uploaded in another that is aborted', async () => {
    const { fixture, backUp, laptop } = await situation(open);
    const upload = async (...offered: ReturnType<typeof chunks>) => {
      const { body } = await fixture.service.openSession(laptop, 'a');
      const session = (await fixture.context.metadata.sessions.find(body.session_id as string))!;
      const blobs = offered.map(({ hash, size, blob: bytes }) => ({ hash, size, bytes }));
      const refused = (error: unknown) => error;
      const result = await putBlobs(fixture.context, session, blobs).catch(refused);
      await fixture.context.intake.settle();
      await fixture.service.post('/functions/v1/backup/abort', laptop.token, { session_id: session.id });
      await fixture.service.service.tidy();
      return result instanceof Error ? 413 : 200;
    };
    const [first, second, third] = [chunks(2), chunks(1), chunks(1)];
    const answers = [];
    for (const some of [first, second, third]) answers.push(await upload(...some), await backUp(laptop, 'a', ...some));
    // Each restore point remains, so that all of them are stored.
    expect(answers).toEqual([200, 200, 200, 200, 413, 413]);
  });

  test('when what was announced early is not in the manifest', async () => {
    const { fixture, laptop, backUp } = await situation(open);
    const { body } = await fixture.service.openSession(laptop, 'a');
    const session = (await fixture.context.metadata.sessions.find(body.session_id as string))!;
    const dropped = chunks(2);
    await putBlobs(
      fixture.context,
      session,
      dropped.map(({ hash, size, blob: bytes }) => ({ hash, size, bytes })),
    );
    const [kept] = chunks(1);
    const init = await fixture.service.init(laptop, 'a', [file('/a', [kept!])], { session_id: session.id });
    expect(init.status).toBe(200);
    await putBlobs(fixture.context, (await fixture.context.metadata.sessions.find(session.id))!, [
      { hash: kept!.hash, size: SIZE, bytes: kept!.blob },
    ]);
    expect((await fixture.service.complete(laptop, session.id)).status).toBe(200);
    expect(await backUp(laptop, 'b', ...chunks(1))).toBe(413);
  });

  test('without counting twice what an interrupted run has uploaded', async () => {
    const { fixture, backUp, laptop, used } = await situation(open);
    const three = chunks(3);
    const interrupted = await fixture.init(laptop, 'a', [file('/0', three.slice(0, 2))]);
    const session = (await fixture.context.metadata.sessions.find(interrupted.body.session_id as string))!;
    await putBlobs(
      fixture.context,
      session,
      three.slice(0, 1).map(({ hash, size, blob: bytes }) => ({ hash, size, bytes })),
    );
    expect(await backUp(laptop, 'a', ...three)).toBe(200);
    await fixture.pass(0);
    expect(await used()).toBe(3 * SIZE);
    expect(await backUp(laptop, 'a', ...three, ...chunks(1))).toBe(413);
  });

  test('when a run had the chunks of one that was interrupted long ago', async () => {
    const { fixture, backUp, laptop } = await situation(open);
    const two = chunks(2);
    const interrupted = await fixture.begin(laptop, 'a', [file('/0', two)]);
    await fixture.context.intake.settle();
    await fixture.service.post('/functions/v1/backup/abort', laptop.token, { session_id: interrupted });
    await fixture.pass(0);
    expect(await backUp(laptop, 'a', ...two)).toBe(200);
    await fixture.pass(10 * DAY);
    expect(await backUp(laptop, 'a', ...chunks(2))).toBe(413);
    expect(await backUp(laptop, 'a', ...chunks(1))).toBe(200);
  });

  test('and forgets interrupted runs once their chunks are collected', async () => {
    const { fixture, backUp, laptop } = await situation(open);
    const interrupted = await fixture.begin(laptop, 'a', [file('/0', chunks(2))]);
    await fixture.context.intake.settle();
    await fixture.service.post('/functions/v1/backup/abort', laptop.token, { session_id: interrupted });
    expect(await backUp(laptop, 'b', ...chunks(2))).toBe(413);
    await fixture.pass(10 * DAY);
    expect(await backUp(laptop, 'b', ...chunks(2))).toBe(200);
  });
});

test('a quota of a person holds in whatever order sessions begin, upload and end', async () => {
  const step = fc.record({
    what: fc.constantFrom('open', 'init', 'continue', 'upload', 'complete', 'abort', 'tidy'),
    set: fc.constantFrom('a', 'b'),
    session: fc.nat(9),
    chunks: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { fixture, laptop } = await situation();
      const { service, context } = fixture;
      const all = chunks(8);
      const sessions: string[] = [];
      const kept = new Map<string, readonly number[]>();
      const begun = new Map<string, readonly number[]>();
      for (const { what, set, session: index, chunks: wanted } of steps) {
        const files = wanted.map((one) => file(`/${one}`, [all[one]!]));
        const id = sessions[index % Math.max(1, sessions.length)] ?? 'ses_none';
        if (what === 'open') sessions.push((await service.openSession(laptop, set)).body.session_id as string);
        if (what === 'init' || what === 'continue') {
          const answer = await service.init(laptop, set, files, what === 'init' ? {} : { session_id: id });
          if (answer.status === 200) begun.set(answer.body.session_id as string, wanted);
          if (answer.status === 200 && what === 'init') sessions.push(answer.body.session_id as string);
        }
        const found = await context.metadata.sessions.find(id);
        if (what === 'upload' && found) {
          const blobs = wanted.map((one) => ({ hash: all[one]!.hash, size: SIZE, bytes: all[one]!.blob }));
          await putBlobs(context, found, blobs).catch(() => undefined);
          await context.intake.settle();
        }
        if (what === 'complete' && (await service.complete(laptop, id)).status === 200) kept.set(id, begun.get(id)!);
        if (what === 'abort') await service.post('/functions/v1/backup/abort', laptop.token, { session_id: id });
        if (what === 'tidy') await service.service.tidy();
      }
      // All restore points are kept, and nobody else stores anything.
      expect(new Set([...kept.values()].flat()).size * SIZE).toBeLessThanOrEqual(3 * SIZE);
      await service.close();
    }),
    { numRuns: orThorough(20, 60) },
  );
});

/** Asks for the URLs of chunks in a session that waits for its manifest. */
async function offer(fixture: ErasureService, device: TestDevice, session: string, offered: ReturnType<typeof chunks>) {
  return fixture.service.post('/functions/v1/backup/presign', device.token, {
    session_id: session,
    chunks: offered.map(({ hash, blob }) => ({ chunk_hash: hash, chunk_size: blob.length })),
  });
}

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
    const ask = (offered: ReturnType<typeof chunks>) => offer(fixture, laptop, body.session_id as string, offered);
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
