import { readdirSync, readlinkSync, renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentParts } from '../../../../src/agent/context/agent-parts.ts';
import { setupHandlers } from '../../../../src/agent/host/setup/setup-handlers.ts';
import { devices } from '../../../../src/agent/operations/devices.ts';
import { retention } from '../../../../src/agent/operations/retention/retention.ts';
import { SharedContexts } from '../../../../src/agent/context/shared-contexts.ts';
import { setupMethods } from '../../../../src/ipc/contract/setup.ts';
import { HandlerFixture } from '../../../unit/agent/host/handler-fixture.ts';

let fixture: HandlerFixture;
const opened: SharedContexts[] = [];

beforeEach(async () => {
  fixture = new HandlerFixture();
  const setup = fixture.ask(setupMethods, setupHandlers(fixture.host()));
  await setup('setup.finish', {
    choice: { kind: 'folder', path: fixture.path('backups') },
    deviceName: 'laptop',
  });
  fixture.write('docs/a', 'one');
  const roots = [fixture.path('docs')];
  await fixture.agent.addSet({
    form: { name: 'docs', roots, excludes: [], oneFileSystem: false, privateNames: false },
  });
  // A policy keeps the first and the last restore point of a day.
  for (const content of ['two', 'three', 'four']) {
    fixture.write('docs/a', content);
    await fixture.agent.backup({ set: 'docs' }, {});
  }
});
afterEach(async () => {
  for (const session of opened.splice(0)) await session.close();
  fixture.close();
});

function sharing(options: { idleMs?: number; mayKeep?: () => boolean } = {}): {
  readonly parts: AgentParts;
  readonly session: SharedContexts;
} {
  const session = new SharedContexts({ parts: fixture.parts, mayKeep: () => true, ...options });
  opened.push(session);
  return { parts: { ...fixture.parts, queries: session }, session };
}

/** A query that reads from packs, which stay open. Returns the number of restore points that a policy would remove. */
async function readPacks(parts: AgentParts): Promise<number> {
  const none = { keep_all_days: 0, hourly: 0, weekly: 0, monthly: 0, yearly: 0 };
  const policy = { ...none, daily: 1, time_zone: 'UTC' };
  const { removed } = await retention(parts, { set: 'docs' }, { action: 'preview', policy });
  return removed;
}

/** Returns whether this process has a file of the destination open, which would prevent its disk from being unmounted. */
function holdsDestination(): boolean {
  return readdirSync('/proc/self/fd').some((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`).startsWith(fixture.path('backups'));
    } catch {
      return false;
    }
  });
}

describe.runIf(process.platform === 'linux')('a shared context', () => {
  test('stays open for the next query and closes the disk when idle', async () => {
    const { parts } = sharing({ idleMs: 300 });
    expect(await devices(parts)).toMatchObject([{ status: 'healthy' }]);
    expect(await readPacks(parts)).toBe(1);
    expect(holdsDestination()).toBe(true);
    expect(await Promise.all([devices(parts), readPacks(parts)])).toHaveLength(2);
    await expect.poll(holdsDestination).toBe(false);
    expect(await readPacks(parts)).toBe(1);
  });

  test('closes immediately on request', async () => {
    const { parts, session } = sharing();
    await readPacks(parts);
    await session.close();
    expect(holdsDestination()).toBe(false);
  });

  test('is closed only after the queries in flight', async () => {
    const { parts, session } = sharing();
    const events: string[] = [];
    const queries = [1, 2].map(async () => {
      await readPacks(parts);
      events.push('read');
    });
    await session.close();
    events.push('closed');
    expect(holdsDestination()).toBe(false);
    await Promise.all(queries);
    expect(events).toEqual(['read', 'read', 'closed']);
  });

  test('closes after each query when it may not stay open', async () => {
    const { parts } = sharing({ mayKeep: () => false });
    expect(await readPacks(parts)).toBe(1);
    await expect.poll(holdsDestination).toBe(false);
  });

  test('reopens after a change of the destination', async () => {
    const { parts } = sharing();
    const [before] = await devices(parts);
    await readPacks(parts);
    const setup = fixture.ask(setupMethods, setupHandlers(fixture.host()));
    renameSync(fixture.home.folder, fixture.path('home before'));
    await setup('setup.finish', {
      choice: { kind: 'folder', path: fixture.path('others') },
      deviceName: 'another',
    });
    const [after] = await devices(parts);
    expect(after?.name).toBe('another');
    expect(before?.name).not.toBe('another');
    await expect.poll(holdsDestination).toBe(false);
  });

  test('closes after a failed query, and the next query opens a new one', async () => {
    const { parts } = sharing();
    renameSync(fixture.path('backups'), fixture.path('elsewhere'));
    await expect(devices(parts)).rejects.toMatchObject({ code: 'destination_missing' });
    renameSync(fixture.path('elsewhere'), fixture.path('backups'));
    expect(await devices(parts)).toHaveLength(1);
  });
});
