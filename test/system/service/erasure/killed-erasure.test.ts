import { describe, expect, test } from 'vitest';
import type { ServiceContext } from '../../../../src/service/context.ts';
import { performErasures } from '../../../../src/service/erasure/perform-erasures.ts';
import { file } from '../../../unit/service/harness.ts';
import { bytesOf, situation, WAIT, type Situation } from './situation.ts';
import { orThorough } from '../../../helpers/thorough.ts';

class Killed extends Error {}

type Call = (...input: unknown[]) => Promise<unknown>;

/** The context of a service that ends right after a call of the store of erasures, whose effect stays. @param at from 1 */
function endingAfter(context: ServiceContext, at: number): ServiceContext {
  let calls = 0;
  const erasures = new Proxy(context.metadata.erasures, {
    get: (store, name) => {
      const call = Reflect.get(store, name) as Call;
      return async (...input: unknown[]): Promise<unknown> => {
        const result = await call.apply(store, input);
        calls += 1;
        if (calls === at) throw new Killed(`after ${String(name)}`);
        return result;
      };
    },
  });
  const metadata = new Proxy(context.metadata, {
    get: (store, name) => (name === 'erasures' ? erasures : (Reflect.get(store, name) as unknown)),
  });
  return { ...context, metadata };
}

const LIVING = new AbortController().signal;

/** Performs what is due in a service that is killed once, and then in the next one. Returns whether it was killed. */
async function killedOnce({ fixture }: Situation, at: number): Promise<boolean> {
  // The service began to keep house when it was opened.
  await fixture.pass(0);
  fixture.service.clock.advance(WAIT);
  let wasKilled = false;
  try {
    await performErasures(endingAfter(fixture.context, at), LIVING);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    wasKilled = true;
  }
  await performErasures(fixture.context, LIVING);
  return wasKilled;
}

const REQUESTS = {
  set: ({ laptop }: Situation) => ({ scope: 'set', device_id: laptop.id, backup_set: 'Planted-Set' }),
  device: ({ laptop }: Situation) => ({ scope: 'device', device_id: laptop.id }),
  member: ({ mia }: Situation) => ({ scope: 'member', user_id: mia }),
  account: () => ({ scope: 'account' }),
};
type Scope = keyof typeof REQUESTS;

const ERASED: Readonly<Record<Scope, readonly string[]>> = {
  set: ['Planted-Set', 'planted-path'],
  device: ['Planted-Laptop', 'Planted-Set', 'Other-Set', 'planted-path'],
  member: ['mia-planted', 'Planted-Laptop', 'Planted-Set', 'Other-Set', 'planted-path'],
  account: ['planted', 'Desk-Set', 'Other-Set', 'example.org'],
};

function usedAfter(scope: Scope, { shared, deskOnly }: Situation): number {
  if (scope === 'account') return 0;
  return scope === 'set' ? bytesOf(shared, deskOnly) : bytesOf(deskOnly);
}

describe.each(['set', 'device', 'member', 'account'] as const)('an erasure of scope %s', (scope) => {
  test('is completed by the next process wherever one is killed, and costs nothing else', async () => {
    let at = 1;
    for (let wasKilled = true; wasKilled; at += orThorough(3, 1)) {
      const world = await situation();
      const { fixture, laptop, desk } = world;
      expect((await fixture.request(REQUESTS[scope](world))).status).toBe(200);
      wasKilled = await killedOnce(world, at);
      expect([at, await fixture.occurrences(ERASED[scope])]).toEqual([at, []]);
      const entries = await fixture.context.metadata.audit.list(fixture.accountId, { limit: 100 });
      expect([at, entries.filter(({ kind }) => kind === 'erasure.done').length]).toEqual([at, 1]);
      await fixture.collect();
      expect([at, await fixture.used()]).toEqual([at, usedAfter(scope, world)]);
      if (scope === 'account') continue;
      expect((await fixture.manifest(desk, 'Desk-Set')).body.files).toHaveLength(1);
      if (scope !== 'set') continue;
      expect((await fixture.manifest(laptop, 'Other-Set')).body.files).toHaveLength(1);
      expect((await fixture.backUp(laptop, 'Planted-Set', [file('/new', ['new'])])).status).toBe(200);
    }
    // Each step was the last one once.
    expect(at).toBeGreaterThan(8);
  });
});
