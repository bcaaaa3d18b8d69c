import { readdirSync, readlinkSync, renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentParts } from '../../../src/agent/context/agent-parts.ts';
import { setupHandlers } from '../../../src/agent/host/setup/setup-handlers.ts';
import { devices } from '../../../src/agent/operations/devices.ts';
import { SharedContext } from '../../../src/agent/context/shared-context.ts';
import { setupMethods } from '../../../src/ipc/contract/setup.ts';
import { HandlerWorld } from '../host/handler-world.ts';

let world: HandlerWorld;
const opened: SharedContext[] = [];

beforeEach(async () => {
  world = new HandlerWorld();
  const setup = world.ask(setupMethods, setupHandlers(world.host()));
  await setup('setup.finish', {
    destination: { kind: 'folder', path: world.path('backups') },
    deviceName: 'laptop',
  });
});
afterEach(async () => {
  for (const session of opened.splice(0)) await session.close();
  world.close();
});

function sharing(options: { idleMs?: number; mayKeep?: () => boolean } = {}): {
  readonly parts: AgentParts;
  readonly session: SharedContext;
} {
  const session = new SharedContext({ parts: world.parts, mayKeep: () => true, ...options });
  opened.push(session);
  return { parts: { ...world.parts, queries: session }, session };
}

/** Whether this process has a file of the destination open: then its disk could not be taken out. */
function holdsDestination(): boolean {
  return readdirSync('/proc/self/fd').some((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`).startsWith(world.path('backups'));
    } catch {
      return false;
    }
  });
}

describe.runIf(process.platform === 'linux')('a shared context', () => {
  test('stays open for the next query and closes the disk when idle', async () => {
    const { parts } = sharing({ idleMs: 300 });
    expect(await devices(parts)).toMatchObject([{ status: 'healthy' }]);
    expect(holdsDestination()).toBe(true);
    expect(await Promise.all([devices(parts), devices(parts)])).toHaveLength(2);
    await expect.poll(holdsDestination).toBe(false);
    expect(await devices(parts)).toHaveLength(1);
  });

  test('closes immediately on request', async () => {
    const { parts, session } = sharing();
    await devices(parts);
    await session.close();
    expect(holdsDestination()).toBe(false);
  });

  test('closes after each query when it may not stay open', async () => {
    const { parts } = sharing({ mayKeep: () => false });
    expect(await devices(parts)).toHaveLength(1);
    await expect.poll(holdsDestination).toBe(false);
  });

  test('reopens after a change of the destination', async () => {
    const { parts } = sharing();
    const [before] = await devices(parts);
    const setup = world.ask(setupMethods, setupHandlers(world.host()));
    renameSync(world.home.folder, world.path('home before'));
    await setup('setup.finish', { destination: { kind: 'folder', path: world.path('others') }, deviceName: 'another' });
    const [after] = await devices(parts);
    expect(after?.name).toBe('another');
    expect(before?.name).not.toBe('another');
    await expect.poll(holdsDestination).toBe(false);
  });

  test('closes after a failed query, and the next query opens a new one', async () => {
    const { parts } = sharing();
    renameSync(world.path('backups'), world.path('elsewhere'));
    await expect(devices(parts)).rejects.toMatchObject({ code: 'destination_missing' });
    renameSync(world.path('elsewhere'), world.path('backups'));
    expect(await devices(parts)).toHaveLength(1);
  });
});
