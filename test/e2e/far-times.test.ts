import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

const TIMES = [
  '1901-12-14T00:00:00',
  '1969-12-31T23:59:59.5',
  '2262-04-12T00:00:00',
  '2300-01-01T00:00:00.25',
  '2445-12-31',
];

function timeOf(path: string): bigint {
  return statSync(path, { bigint: true }).mtimeNs;
}

test('restored files and folders have their times, also long before and after now', async () => {
  using workplace = new Workplace();
  mkdirSync(workplace.path('source'));
  for (const time of TIMES) {
    execFileSync('touch', ['-d', `${time} UTC`, workplace.path('source', time)]);
    mkdirSync(workplace.path('source', `folder ${time}`));
    execFileSync('touch', ['-d', `${time} UTC`, workplace.path('source', `folder ${time}`)]);
  }
  await workplace.setUp();
  await workplace.addSet('documents', workplace.path('source'));
  await workplace.json(['backup', 'documents']);
  await workplace.json(['restore', 'documents', '--to', workplace.path('target')]);
  const times = (folder: string) =>
    TIMES.flatMap((time) => [timeOf(`${folder}/${time}`), timeOf(`${folder}/folder ${time}`)]);
  expect(times(workplace.path('target', 'source'))).toEqual(times(workplace.path('source')));
});
