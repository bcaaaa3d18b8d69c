import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtApp } from './built-app.ts';

/**
 * Creates a program folder like a checkout, whose agent runs other code before the built one.
 *
 * @param agent CommonJS, given the checkout and the built agent
 */
export async function layOutProgram(
  program: string,
  agent: (root: string, builtAgent: string) => string,
): Promise<void> {
  const root = await builtApp();
  const current = readFileSync(join(root, 'dist/current'), 'utf8').trim();
  mkdirSync(join(program, 'dist/own'), { recursive: true });
  symlinkSync(join(root, 'assets'), join(program, 'assets'));
  symlinkSync(join(root, 'dist/app'), join(program, 'dist/app'));
  writeFileSync(join(program, 'dist/current'), 'own\n');
  writeFileSync(join(program, 'dist/own/agent-host.cjs'), agent(root, join(root, 'dist', current, 'agent-host.cjs')));
  writeFileSync(join(program, 'package.json'), JSON.stringify({ name: 'holdfast', main: 'dist/app/main.cjs' }));
}
