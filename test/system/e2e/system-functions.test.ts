import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildTree } from '../../helpers/tree/build.ts';
import { file } from '../../helpers/tree/nodes.ts';
import { Workplace } from './workplace.ts';

/** Behaves like a package from which a file of the module for system calls is missing. */
const WITHOUT_KOFFI = `
const { Module } = require('node:module');
const load = Module._load;
Module._load = function (name, ...more) {
  if (name === 'koffi') throw new Error('koffi is incomplete');
  return load.call(this, name, ...more);
};
`;

test('an installation that cannot call the system says in each run what it leaves out', async () => {
  using workplace = new Workplace({ isReal: true });
  const source = workplace.path('source');
  await buildTree(source, { 'a.txt': file('content') });
  await workplace.setUp();
  await workplace.addSet('documents', source);
  const whole = await workplace.json<{ readonly warnings: readonly unknown[] }>(['backup', 'documents']);
  expect(whole.warnings).toEqual([]);

  const hook = workplace.path('without-koffi.cjs');
  writeFileSync(hook, WITHOUT_KOFFI);
  workplace.environment['NODE_OPTIONS'] = `--require=${hook}`;
  const warning = { path: 'documents', reason: 'system-functions-missing' };
  expect(await workplace.json(['backup', 'documents'], 3)).toMatchObject({ warnings: [warning] });
  expect((await workplace.run('backup', 'documents')).stderr).toContain(
    'documents: has extended attributes and access rights that this installation cannot read or write',
  );
  const restore = ['restore', 'documents', '--to', workplace.path('target')];
  expect(await workplace.json(restore, 3)).toMatchObject({ warnings: [warning], files_restored: 1 });
});
