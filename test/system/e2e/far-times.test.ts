import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

/** Times in UTC, by names that Windows has, too. */
const TIMES = new Map([
  ['1901', '1901-12-14T00:00:00Z'],
  ['1969', '1969-12-31T23:59:59.5Z'],
  ['2262', '2262-04-12T00:00:00Z'],
  ['2300', '2300-01-01T00:00:00.25Z'],
  ['2445', '2445-12-31T00:00:00Z'],
]);

function timeOf(path: string): bigint {
  return statSync(path, { bigint: true }).mtimeNs;
}

test('restored files and folders have their times, also long before and after now', async () => {
  using workplace = new Workplace();
  const source = workplace.path('source');
  mkdirSync(source);
  for (const [name, time] of TIMES) {
    writeFileSync(`${source}/${name}`, '');
    mkdirSync(`${source}/folder ${name}`);
    for (const path of [`${source}/${name}`, `${source}/folder ${name}`])
      utimesSync(path, new Date(time), new Date(time));
  }
  await workplace.setUp();
  await workplace.addSet('documents', source);
  await workplace.json(['backup', 'documents']);
  await workplace.json(['restore', 'documents', '--to', workplace.path('target')]);
  const times = (folder: string) =>
    [...TIMES.keys()].flatMap((name) => [timeOf(`${folder}/${name}`), timeOf(`${folder}/folder ${name}`)]);
  expect(times(workplace.path('target', 'source'))).toEqual(times(source));
});
