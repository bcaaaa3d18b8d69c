import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MINUTE, SchedulerWorld } from './scheduler-world.ts';

test('watches the file system except for the home', async () => {
  await using world = new SchedulerWorld('2026-11-02T18:00Z', { isWatchReal: true });
  const root = join(world.home.folder, '..');
  mkdirSync(join(root, 'letters'));
  world.set('documents', 'on change after 10 minutes', { roots: [root] });
  world.ended('documents');
  await world.start();
  await world.watching();
  await world.pass(11 * MINUTE);
  expect(world.decision('documents')).toEqual({ kind: 'watching', isPartial: false });
  world.started.length = 0;
  const heard = world.heard();
  writeFileSync(join(root, 'letters', 'to anna'), 'Dear Anna');
  await heard;
  await world.pass(0);
  expect(world.decision('documents')).toEqual({ kind: 'quiet', until: world.now + 10 * MINUTE });
  await world.pass(11 * MINUTE);
  expect(world.started.map(({ trigger, first }) => [trigger, first])).toEqual([['change', [join(root, 'letters')]]]);
});
