import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';

interface Listed {
  readonly points: readonly { readonly restore_point: string }[];
}

test('lists a set that has the name of a command', async () => {
  using place = new Workplace();
  await place.setUp();
  mkdirSync(place.path('source'));
  writeFileSync(place.path('source', 'a'), 'a');
  for (const name of ['pin', 'list']) {
    await place.addSet(name, place.path('source'));
    await place.json(['backup', name]);
    expect((await place.json<Listed>(['points', 'list', name])).points).toHaveLength(1);
  }
  const { points } = await place.json<Listed>(['points', 'list', 'pin']);
  expect((await place.run('points', 'pin', 'pin', points[0]!.restore_point)).status).toBe(0);
});
