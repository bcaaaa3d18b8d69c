import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptRestores } from '../../../../src/agent/host/restores/kept-restores.ts';
import { Records } from '../../../../src/agent/host/activity/journal-access.ts';
import { Restores, type RestoresParts } from '../../../../src/agent/host/restores/restores.ts';
import { HandlerWorld } from '../handler-world.ts';

let world: HandlerWorld;
let records: Records;
beforeEach(async () => {
  world = new HandlerWorld();
  await world.agent.setup({
    destination: { kind: 'embedded', directory: world.path('backups') },
    deviceName: 'laptop',
  });
  records = new Records(world.home, world.parts.clock);
});
afterEach(() => {
  records[Symbol.dispose]();
  world.close();
});

test('one that is taken up keeps nobody waiting while its service cannot be reached', async () => {
  const request = { set: 'docs', restorePoint: '2026-11-21T10:00:00.000Z', paths: [], to: world.path('back') };
  const kept = new KeptRestores(world.home);
  kept.save([{ request, at: Date.parse(request.restorePoint), state: 'waiting', run: 0, cutOffs: 0 }]);
  let asked = 0;
  const runs: RestoresParts['runs'] = {
    busySet: undefined,
    afterThis: () => undefined,
    start: () => {
      asked += 1;
      return new Promise(() => undefined);
    },
  };
  const restores = new Restores({ agent: world.agent, runs, clock: world.parts.clock, records, kept });
  await restores.resume();
  expect(asked).toBe(1);
  expect(new KeptRestores(world.home).load()).toHaveLength(1);
});
