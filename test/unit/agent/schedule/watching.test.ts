import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MINUTE, SchedulerSimulation } from './scheduler-simulation.ts';

test('watches the file system except for the home', async () => {
  await using simulation = new SchedulerSimulation('2026-11-02T18:00Z', { isWatchReal: true });
  const root = join(simulation.home.folder, '..');
  mkdirSync(join(root, 'letters'));
  simulation.set('documents', 'on change after 10 minutes', { roots: [root] });
  simulation.ended('documents');
  await simulation.start();
  await simulation.watching();
  await simulation.pass(11 * MINUTE);
  expect(simulation.decision('documents')).toEqual({ kind: 'watching', isPartial: false });
  simulation.started.length = 0;
  const heard = simulation.heard();
  writeFileSync(join(root, 'letters', 'to anna'), 'Dear Anna');
  await heard;
  await simulation.pass(0);
  expect(simulation.decision('documents')).toEqual({ kind: 'quiet', until: simulation.now + 10 * MINUTE });
  await simulation.pass(11 * MINUTE);
  expect(simulation.started.map(({ trigger, first }) => [trigger, first])).toEqual([
    ['change', [join(root, 'letters')]],
  ]);
});
