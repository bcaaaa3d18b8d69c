import { afterEach, beforeEach, expect, test } from 'vitest';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';
import type { Agent } from '../../../../../src/agent/agent.ts';
import { saveStoredSettings } from '../../../../../src/agent/home/settings.ts';
import { prepareHome } from '../../../../../src/agent/home/home.ts';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { alarmHandlers } from '../../../../../src/agent/host/alarms/alarm-handlers.ts';
import { AlarmWatch } from '../../../../../src/agent/host/alarms/alarm-watch.ts';
import { HomeSettings } from '../../../../../src/agent/host/home-settings.ts';
import { StateChanges } from '../../../../../src/agent/host/state-changes.ts';
import type { Notice } from '../../../../../src/ipc/agent-events.ts';
import type { RetentionAnswer } from '../../../../../src/protocol/retention.ts';
import { HandlerFixture } from '../handler-fixture.ts';
import { folderEntry, storedSettings } from '../../../../helpers/stored-settings.ts';

const SET = {
  roots: ['/files'],
  excludes: [],
  presets: [],
  oneFileSystem: false,
  privateNames: false,
  schedule: 'manual',
};
const DETECTED = '2026-11-02T12:00:00Z';
const HELD: RetentionAnswer = {
  state: {
    policy: null,
    minimum_days: 0,
    account_minimum_days: 0,
    held_since: DETECTED,
    held_for: [{ detected_at: DETECTED, reasons: ['mass_rewrite'] }],
    points: [],
    freeing: [],
  },
  removed: 0,
  frees: [],
};
const RELEASED: RetentionAnswer = { ...HELD, state: { ...HELD.state, held_since: null, held_for: [] } };

let fixture: HandlerFixture;
let catalog: CatalogAccess;
beforeEach(() => {
  fixture = new HandlerFixture();
  prepareHome(fixture.home);
  saveStoredSettings(
    fixture.home,
    storedSettings({
      destinations: [folderEntry('00000001', fixture.path('backups'))],
      sets: [{ ...SET, name: 'documents' }],
    }),
  );
  catalog = new CatalogAccess(fixture.home, fixture.parts.clock);
});
afterEach(() => {
  catalog[Symbol.dispose]();
  fixture.close();
});

/** A backup that succeeded. */
function backUp(destination = '00000001'): void {
  catalog.read(({ journal }) => {
    const now = Date.parse(DETECTED);
    const job = journal.queue({ kind: 'backup', backupSet: 'documents', destination, trigger: 'person' }, now);
    for (const state of ['scanning', 'succeeded'] as const) journal.transition(job, state, now);
  });
}

/** A destination whose answers are given by the test, in the order of the requests. */
class Destination implements Pick<Agent, 'retention'> {
  readonly requests: PromiseWithResolvers<RetentionAnswer>[] = [];

  retention(): Promise<RetentionAnswer> {
    const request = Promise.withResolvers<RetentionAnswer>();
    this.requests.push(request);
    return request.promise;
  }
}

test('a hold that was released during a check is not reported again', async () => {
  backUp();
  const destination = new Destination();
  const notices: Notice[] = [];
  const watch = new AlarmWatch({
    home: fixture.home,
    clock: fixture.parts.clock,
    agent: { at: () => destination },
    catalog,
    settings: new HomeSettings(fixture.home),
    runs: { busySet: undefined },
    changes: new StateChanges(),
    send: (notice) => notices.push(notice),
  });
  const check = async (answer: RetentionAnswer, meanwhile = (): void => undefined): Promise<void> => {
    watch.check();
    const request = destination.requests.shift()!;
    meanwhile();
    request.resolve(answer);
    await new Promise(setImmediate);
  };

  await check(HELD);
  expect(watch.alarms).toMatchObject([{ set: 'documents', reasons: ['mass_rewrite'] }]);
  expect(notices).toHaveLength(1);
  // An hour passes before a hold is checked again.
  watch.check();
  expect(destination.requests).toEqual([]);
  fixture.advance(2 * 3_600_000);
  await check(HELD, () => watch.released('00000001'));
  expect(watch.alarms).toEqual([]);
  expect(notices).toHaveLength(1);

  // The next backup is checked at once.
  backUp();
  await check(RELEASED);
  expect(watch.alarms).toEqual([]);
  await watch.close();
});

test('a run that two destinations suspect is one alarm, which is released at both', async () => {
  const places = [folderEntry('00000001', fixture.path('backups')), folderEntry('00000002', fixture.path('second'))];
  saveStoredSettings(fixture.home, storedSettings({ destinations: places, sets: [{ ...SET, name: 'documents' }] }));
  backUp('00000001');
  backUp('00000002');
  const destinations: Record<string, Destination> = { '00000001': new Destination(), '00000002': new Destination() };
  const notices: Notice[] = [];
  const newWatch = (): AlarmWatch =>
    new AlarmWatch({
      home: fixture.home,
      clock: fixture.parts.clock,
      agent: { at: (id) => destinations[id]! },
      catalog,
      settings: new HomeSettings(fixture.home),
      runs: { busySet: undefined },
      changes: new StateChanges(),
      send: (notice) => notices.push(notice),
    });
  const answer = async (id: string, state: RetentionAnswer): Promise<void> => {
    destinations[id]!.requests.shift()!.resolve(state);
    await new Promise(setImmediate);
  };
  const earlier = '2026-11-02T11:59:58Z';
  const heldEarlier = {
    ...HELD,
    state: {
      ...HELD.state,
      held_since: earlier,
      held_for: [{ detected_at: earlier, reasons: ['known_names' as const] }],
    },
  };

  const watch = newWatch();
  watch.check();
  await answer('00000002', HELD);
  expect(watch.alarms).toHaveLength(1);
  await answer('00000001', heldEarlier);
  expect(watch.alarms).toEqual([
    expect.objectContaining({ set: 'documents', at: Date.parse(earlier), reasons: ['mass_rewrite', 'known_names'] }),
  ]);
  expect(notices).toEqual([{ kind: 'suspicious-run', set: 'documents' }]);
  expect(watch.holds).toEqual([
    { destination: '00000002', set: 'documents' },
    { destination: '00000001', set: 'documents' },
  ]);

  watch.released('00000001');
  expect(watch.alarms).toMatchObject([{ at: Date.parse(DETECTED) }]);
  expect(notices).toHaveLength(1);
  await watch.close();
  const next = newWatch();
  expect(next.holds).toEqual([{ destination: '00000002', set: 'documents' }]);
  // A destination that was removed has no alarms.
  saveStoredSettings(
    fixture.home,
    storedSettings({ destinations: places.slice(0, 1), sets: [{ ...SET, name: 'documents' }] }),
  );
  next.check();
  expect(next.alarms).toEqual([]);
  await next.close();
});

test('a release names the next service at which a person has to sign in', async () => {
  const service = (id: string) =>
    folderEntry(id, '', {
      destination: { kind: 'service', url: `https://${id}.example.org`, signIn: { kind: 'device' } },
    });
  const entries = [folderEntry('00000001', '/disk'), service('00000002'), service('00000003')];
  saveStoredSettings(fixture.home, storedSettings({ destinations: entries }));
  const released: string[] = [];
  const holds = ['00000001', '00000002', '00000003'].map((destination) => ({ destination, set: 'documents' }));
  let signedInAt: string | undefined;
  const refuse = (): never => {
    throw new HoldfastError('destination_missing', { directory: '/disk' });
  };
  const release = alarmHandlers(
    { agent: { at: () => ({ retention: refuse }) } as never, home: fixture.home, changed: () => undefined },
    {
      get holds() {
        return holds.filter(({ destination }) => !released.includes(destination));
      },
      released: (id: string) => void released.push(id),
    } as never,
    {
      ask: (_work, id) => {
        if (id !== signedInAt) throw new HoldfastError('signed_out', { problem: 'sign-in-needed' });
        return Promise.resolve(undefined as never);
      },
    },
  )['alarm.release'];
  const call = (): Promise<unknown> => Promise.resolve(release({}));
  expect(await call()).toEqual({ signInAt: '00000002' });
  signedInAt = '00000002';
  expect(await call()).toEqual({ signInAt: '00000003' });
  signedInAt = '00000003';
  await expect(call()).rejects.toMatchObject({ code: 'destination_missing' });
  expect(released).toEqual(['00000002', '00000003']);
});
