import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';

const NONE_FOUND = 'no backups were found there';

test('a set-up with a phrase says if the place has no backups, and only then', async () => {
  using workplace = new Workplace();
  const phrase = workplace.write('phrase', await workplace.setUp());
  mkdirSync(workplace.path('docs'));
  writeFileSync(workplace.path('docs/a'), 'hello');
  await workplace.addSet('docs', workplace.path('docs'));
  await workplace.json(['backup', 'docs']);
  const at = async (home: string, destination: string): Promise<string> => {
    const words = ['setup', '--destination', destination, '--recovery-phrase-file', phrase];
    const { status, stderr } = await workplace.runAt(workplace.path(home), words);
    expect(status).toBe(0);
    return stderr;
  };
  expect(await at('wrong', workplace.path('typo'))).toContain(NONE_FOUND);
  expect(await at('right', workplace.destination)).not.toContain(NONE_FOUND);
  // What the message advises.
  const words = ['destination', 'add', '--destination', workplace.destination, '--name', 'disk'];
  expect((await workplace.runAt(workplace.path('wrong'), words)).status).toBe(0);
  const { device } = await workplace.json<{ device: { id: string } }>(['status']);
  const points = ['points', 'docs', '--device', device.id, '--destination', 'disk', '--json'];
  const { status, stdout } = await workplace.runAt(workplace.path('wrong'), points);
  expect([status, stdout.match(/"restore_point"/g)?.length]).toEqual([0, 1]);
});

test('a first set-up without a phrase expects none', async () => {
  using workplace = new Workplace();
  expect((await workplace.run('setup', '--destination', workplace.destination)).stderr).not.toContain(NONE_FOUND);
});
