import { afterEach, beforeEach, expect, test } from 'vitest';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { Restores, type RestoresParts } from '../../../../../src/agent/host/restores/restores.ts';
import { HomeSettings } from '../../../../../src/agent/host/home-settings.ts';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';
import { RecordedJob } from '../../../../../src/jobs/recorded-job.ts';
import { StateChanges } from '../../../../../src/agent/host/state-changes.ts';
import { HandlerFixture } from '../handler-fixture.ts';

let fixture: HandlerFixture;
let catalog: CatalogAccess;
beforeEach(async () => {
  fixture = new HandlerFixture();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  catalog = new CatalogAccess(fixture.home, fixture.parts.clock);
});
afterEach(() => {
  catalog[Symbol.dispose]();
  fixture.close();
});

test('resumes a left-over restore without blocking while its service cannot be reached', async () => {
  const { home, agent, parts } = fixture;
  const { clock } = parts;
  const source = { set: 'docs', at: clock.now() };
  const request = { ...source, paths: [], to: fixture.path('back') };
  const job = { kind: 'restore', backupSet: 'docs', destination: 'sole', trigger: 'person', request } as const;
  catalog.read(({ journal }) => journal.queue(job, clock.now()));
  let started = 0;
  const runs: RestoresParts['runs'] = {
    busySet: undefined,
    afterThis: () => undefined,
    start: () => {
      started += 1;
      return new Promise(() => undefined);
    },
  };
  const restores = new Restores({
    settings: new HomeSettings(home),
    agent,
    runs,
    clock,
    catalog,
    starter: { limits: () => ({}) },
    destination: { missingPath: () => Promise.resolve(undefined) },
    changes: new StateChanges(),
  });
  await restores.resume();
  expect(started).toBe(1);
  expect(catalog.read(({ journal }) => journal.pendingRestores())).toHaveLength(1);
});

test('withdraws a restore for good when it is forgotten while it begins', async () => {
  const { home, agent, parts } = fixture;
  const { clock } = parts;
  const source = { set: 'docs', at: clock.now() };
  const job = {
    kind: 'restore',
    backupSet: 'docs',
    destination: 'sole',
    trigger: 'person',
    request: { ...source, paths: [], to: fixture.path('back') },
  } as const;
  const id = catalog.read(({ journal }) => journal.queue(job, clock.now()));
  const begun = Promise.withResolvers<never>();
  const restores = new Restores({
    settings: new HomeSettings(home),
    agent,
    runs: { busySet: undefined, afterThis: () => undefined, start: () => begun.promise },
    clock,
    catalog,
    starter: { limits: () => ({}) },
    destination: { missingPath: () => Promise.resolve(undefined) },
    changes: new StateChanges(),
  });
  await restores.resume();
  restores.forget();
  begun.reject(new HoldfastError('home_busy', { home: home.folder, pid: 1, command: 'backup', since: 'now' }));
  await new Promise((resolve) => setImmediate(resolve));
  const state = (): string => catalog.read(({ journal }) => journal.get(id)!.state);
  expect(state()).toBe('withdrawn');
  expect(catalog.read(({ journal }) => journal.pendingRestores())).toEqual([]);
  // Had its run begun meanwhile, it would have ended before it planned anything.
  expect(() => catalog.read(({ journal }) => new RecordedJob(journal, clock, job, { job: id }))).toThrow('interrupted');
  expect(state()).toBe('withdrawn');
});

test('does not continue a restore while the disk of its target is not mounted', async () => {
  const { home, agent, parts } = fixture;
  const { clock } = parts;
  const source = { set: 'docs', at: clock.now() };
  const request = { ...source, paths: [], to: fixture.path('back') };
  const targetVolume = '/media/ann/disk';
  const job = { kind: 'restore', backupSet: 'docs', trigger: 'person', request, targetVolume } as const;
  const id = catalog.read(({ journal }) => journal.queue({ ...job, destination: 'sole' }, clock.now()));
  let started = 0;
  const start = (): Promise<never> => {
    started += 1;
    return new Promise(() => undefined);
  };
  const restores = new Restores({
    settings: new HomeSettings(home),
    agent,
    runs: { busySet: undefined, afterThis: () => undefined, start },
    clock,
    catalog,
    starter: { limits: () => ({}) },
    destination: { missingPath: () => Promise.resolve(undefined) },
    changes: new StateChanges(),
  });
  await restores.resume();
  restores.close();
  expect(started).toBe(0);
  const [record] = catalog.read(({ journal }) => journal.pendingRestores());
  expect(record).toMatchObject({ id, state: 'waiting', waitsFor: targetVolume });
});
