import { expect } from 'vitest';
import { WELL, type World } from '../world.ts';
import { changed, changedList, type OddityRow } from './oddity-row.ts';

/** How people and devices sign in. Each row has a service of its own. */
export const SIGN_INS: readonly OddityRow[] = [
  {
    name: 'device-token-short',
    service: 'gives out tokens that live for two seconds, to a device',
    interface: '`expires_in` seconds; 3600 shown',
    agent: 'signs in again before they expire',
    odd: () => ({}),
    own: { signIn: 'device', options: { tokenSeconds: 2 } },
  },
  {
    name: 'person-token-short',
    service: 'gives out tokens that live for two seconds, to a person',
    interface: '`expires_in` seconds; renewed through the refresh grant',
    agent: 'refreshes them before they expire',
    odd: () => ({}),
    own: { signIn: 'person', options: { tokenSeconds: 2 } },
  },
  {
    name: 'device-token-refused',
    service: 'refuses a good token of a device now and then',
    interface: 'an expired token must be renewed',
    agent: 'signs in again once and repeats the call',
    odd: () => refusedNowAndThen(),
    own: { signIn: 'device' },
  },
  {
    name: 'person-token-refused',
    service: 'refuses a good token of a person now and then',
    interface: 'an expired token must be renewed with the refresh grant',
    agent: 'refreshes once and repeats the call',
    odd: () => refusedNowAndThen(),
    own: { signIn: 'person' },
  },
  {
    name: 'tokens-without-lifetime',
    service: 'does not say how long tokens live',
    interface: '`expires_in` integer seconds',
    agent: 'uses them until they are refused',
    odd: () => ({
      after: ({ endpoint }, answer) =>
        endpoint.startsWith('auth/') && answer.status === 200
          ? { ...answer, body: { ...(answer.body as object), expires_in: null } }
          : undefined,
    }),
    own: { signIn: 'person' },
  },
  {
    name: 'device-session-bare',
    service: 'leaves out the device in the answer to its sign-in',
    interface: '`device` object (`id`, `name`, `permissions`)',
    agent: 'needs only the token',
    odd: () => changed('auth/device', ({ access_token }) => ({ access_token })),
    own: { signIn: 'device' },
  },
  {
    name: 'person-session-bare',
    service: 'leaves out the person and the type of the token',
    interface: '`user`, `token_type`',
    agent: 'needs only the tokens',
    odd: () =>
      changed('auth/verify', ({ access_token, refresh_token }) => ({ access_token, refresh_token, user: null })),
    own: { signIn: 'person' },
  },
  {
    name: 'factors-mixed',
    service: 'lists factors of other kinds, one without a name and one that is none',
    interface: '`factors` array of MFA factor; `totp` is the value shown',
    agent: 'uses the one for a TOTP code',
    odd: () =>
      changedList('auth/password', 'factors', (list) => [
        null,
        { id: 'f/0', type: 'webauthn' },
        7,
        ...list.map(({ id, type }) => ({ id, type: type === 'totp' ? 'TOTP' : type })),
      ]),
    own: { signIn: 'person' },
  },
  {
    name: 'devices-odd',
    service: 'has devices with names in any script, without times, and an element that is none',
    interface: 'device object; `last_backup` timestamp',
    agent: 'lists those that it can read',
    odd: () =>
      changedList('devices', 'devices', (list) => [
        null,
        { id: '', name: 'no id' },
        { id: 'd/2?', name: 'שלום \u202e\u0007 ✓', last_backup: 'never' },
        ...list.map((device) => ({ ...device, os: null, agent_version: 3, status: undefined, last_backup: null })),
      ]),
    own: { signIn: 'device' },
    journey: async (world) => {
      expect(await world.backUp()).toEqual(WELL);
      const { devices } = await world.workplace.json<{ devices: { id: string; this_device: boolean }[] }>(['devices']);
      expect(devices.map(({ id }) => id)).toEqual(['d/2?', world.service.device.id]);
      expect((await world.workplace.run('devices')).stdout).not.toContain('\u0007');
    },
  },
  {
    name: 'refresh-lost',
    service: 'spends a refresh token, and its answer is lost',
    interface: 'the grant returns a new refresh token; a second use of the old one: not shown',
    agent: 'says that the person has to sign in again, in the same home, and goes on there',
    odd: () => ({}),
    own: { signIn: 'person', options: { tokenSeconds: 2 } },
    noted: ['auth/refresh: a refresh token was used twice'],
    journey: signInAgain,
  },
];

/** Refuses every fifth call with a token, however good that is. */
function refusedNowAndThen(): ReturnType<OddityRow['odd']> {
  let calls = 0;
  return {
    before: ({ bearer, endpoint }) =>
      bearer !== undefined && !endpoint.startsWith('auth/') && (calls += 1) % 5 === 0
        ? { status: 401, body: { error: 'not now' } }
        : undefined,
  };
}

async function signInAgain(world: World): Promise<void> {
  const { service, workplace } = world;
  expect(await world.backUp()).toEqual(WELL);
  service.advance(10);
  let isLost = false;
  service.behave({
    after: ({ endpoint }, answer) => {
      if (endpoint !== 'auth/refresh' || isLost) return undefined;
      isLost = true;
      return { ...answer, isLost };
    },
  });
  const refused = await workplace.run('backup', 'documents');
  expect(refused.status).toBe(4);
  expect(refused.stderr).toContain('holdfast destination sign-in');
  const words = ['destination', 'sign-in', ...world.personWords()];
  expect(await workplace.json(words)).toMatchObject({ device_id: service.device.id });
  world.change();
  expect(await world.backUp()).toEqual(WELL);
  expect(await world.restore()).toEqual(WELL);
  world.expectRestored();
}
