import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { RunQueue } from '../../../../../src/agent/host/runs/run-queue.ts';
import { StateChanges } from '../../../../../src/agent/host/state-changes.ts';
import { HandlerFixture } from '../handler-fixture.ts';

let fixture: HandlerFixture;
let catalog: CatalogAccess;
let queue: RunQueue;
beforeEach(async () => {
  fixture = new HandlerFixture();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  const { home, parts } = fixture;
  catalog = new CatalogAccess(home, parts.clock);
  queue = new RunQueue({ home, clock: parts.clock, journal: catalog, changes: new StateChanges() });
});
afterEach(() => {
  catalog[Symbol.dispose]();
  fixture.close();
});

const REQUEST = { kind: 'verify', set: 'documents', trigger: 'person' } as const;

describe('a queue that was closed', () => {
  test('begins no run', async () => {
    let begun = 0;
    await queue.close();
    const start = queue.start(REQUEST, () => Promise.resolve((begun += 1)));
    await expect(start).rejects.toMatchObject({ code: 'interrupted' });
    expect(begun).toBe(0);
  });

  test('has interrupted its run, and waited for its end', async () => {
    const ended: unknown[] = [];
    const start = queue.start(REQUEST, async ({ signal, onJob }) => {
      onJob?.(1);
      await new Promise((resolve) => signal!.addEventListener('abort', resolve));
      ended.push(signal!.reason);
      throw signal!.reason;
    });
    start.then(({ ended: end }) => end.catch(() => undefined)).catch(() => undefined);
    await queue.close().catch(() => undefined);
    expect(ended).toEqual(['the program ends']);
  });
});

describe('a run that has no job yet', () => {
  test('is known to the scheduler as what it is', async () => {
    const begin = Promise.withResolvers<void>();
    queue.subscribe({ prepare: () => begin.promise });
    const start = queue.start({ kind: 'restore', set: 'documents', trigger: 'resume' }, async ({ onJob }) =>
      onJob?.(1),
    );
    start.then(({ ended }) => ended.catch(() => undefined)).catch(() => undefined);
    expect(queue.active()).toBeUndefined();
    expect(queue.ongoing()).toMatchObject({ kind: 'restore', set: 'documents', trigger: 'resume' });
    begin.resolve();
    await start.catch(() => undefined);
  });
});
