import { describe, expect, test } from 'vitest';
import type { TestDevice } from '../../../unit/service/harness.ts';
import { People } from './people.ts';
import { REQUESTS } from './requests.ts';

const WRITING = [
  'POST /functions/v1/backup/init',
  'POST /functions/v1/backup/open',
  'POST /functions/v1/backup/presign',
  'POST /functions/v1/backup/progress',
  'POST /functions/v1/backup/complete',
  'POST /functions/v1/backup/abort',
  'POST /functions/v1/backup/pack',
];

async function registered(people: People, by: string): Promise<TestDevice> {
  const { body } = await people.service.post('/functions/v1/devices', by, { name: 'Own', os: 'x', agent_version: '1' });
  return people.service
    .tokenOf(body.device.id as string)
    .then((token) => ({ id: body.device.id as string, key: '', token }));
}

describe('a member', () => {
  test('writes to the backups of an own device, and of no other', async () => {
    const people = await People.open();
    const own = await registered(people, await people.access(people.member));
    const theirs = await registered(people, await people.access(people.admin));
    const answers: Record<string, readonly number[]> = {};
    for (const name of WRITING) {
      const [method] = name.split(' ') as [string];
      const statuses = [];
      for (const target of [own, theirs]) {
        const { path, body } = await REQUESTS[name]!({ people, owner: await people.access(people.owner), target });
        statuses.push((await people.service.call(method, path, await people.access(people.member), body)).status);
      }
      answers[name] = statuses;
    }
    expect(answers).toEqual(Object.fromEntries(WRITING.map((name) => [name, [200, 403]])));
  });

  test('continues no session of another person in an own one', async () => {
    const people = await People.open();
    const { service } = people;
    const own = await registered(people, await people.access(people.member));
    const { body: opened } = await service.openSession(
      { ...people.device, token: await people.access(people.owner) },
      'docs',
    );
    const token = await people.access(people.member);
    const answer = await service.init({ ...own, token }, 'docs', [], { session_id: opened.session_id });
    expect(answer.status).toBe(403);
  });
});

describe('the first key of an account', () => {
  const claim = (people: People, token: string, device: string, key: string) =>
    people.service.post('/functions/v1/account_key', token, { key_id: key, device_id: device });
  const shown = async (people: People, token: string) =>
    (await people.service.call('GET', '/functions/v1/account_key', token)).body as object;

  test('is not claimed by a member, nor by a member’s device', async () => {
    const people = await People.open();
    const member = await people.access(people.member);
    const own = await registered(people, member);
    const account = (await people.service.service.context.metadata.devices.find(own.id))!.accountId;
    const token = await people.service.tokenOf(own.id, account);
    for (const one of [member, token]) {
      expect(await shown(people, one)).toEqual({ key_id: null, may_claim: false });
      expect((await claim(people, one, own.id, 'mine')).status).toBe(403);
    }
    expect(await shown(people, member)).toEqual({ key_id: null, may_claim: false });
  });

  test.each(['owner', 'admin'] as const)('is claimed by the %s, and then shown to members', async (role) => {
    const people = await People.open();
    const member = await people.access(people.member);
    const own = await registered(people, member);
    const manager = await people.access(people[role]);
    const first = await registered(people, manager);
    expect(await shown(people, manager)).toEqual({ key_id: null, may_claim: true });
    expect((await claim(people, manager, first.id, 'key')).body).toEqual({ key_id: 'key' });
    expect((await claim(people, member, own.id, 'mine')).body).toEqual({ key_id: 'key' });
  });
});
