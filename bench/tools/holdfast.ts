import { basename, dirname, join } from 'node:path';
import type { Compression } from '../../src/model/compression.ts';
import { run } from '../compare/measure.ts';
import { versionLine } from './installed.ts';
import type { Command, Store, Tool, ToolName } from './tool.ts';

const root = dirname(dirname(import.meta.dirname));

/** The program of this checkout. */
export const PROGRAM = join(root, 'bin/holdfast');

/** Stores in a repository in a folder. */
export const holdfast: Tool = inFolder('holdfast', 'Holdfast', 'off');
export const holdfastDefault: Tool = inFolder('holdfast-default', 'Holdfast `default`', 'default');
export const holdfastMax: Tool = inFolder('holdfast-max', 'Holdfast `max`', 'max');

function inFolder(name: ToolName, label: string, compression: Compression): Tool {
  return {
    name,
    label,
    missing: holdfastMissing,
    version: holdfastVersion,
    async open(place, source) {
      const repository = join(place, 'repository');
      const store = await storeOf(place, source, ['--destination', repository], compression);
      return { ...store, repository, close: () => Promise.resolve() };
    },
  };
}

export function holdfastMissing(): string | undefined {
  return versionLine(PROGRAM, '--version') === undefined ? 'npm ci' : undefined;
}

export function holdfastVersion(): string {
  return `Holdfast ${versionLine(PROGRAM, '--version') ?? ''}`;
}

/** A home that was set up with these options, and its commands. The set excludes nothing. */
export async function storeOf(
  place: string,
  source: string,
  setup: readonly string[],
  compression: Compression = 'off',
): Promise<Omit<Store, 'repository' | 'close'>> {
  const environment = { HOLDFAST_HOME: join(place, 'home') };
  const command = (...args: readonly string[]): Command => ({
    program: PROGRAM,
    args: [...args, '--json'],
    environment,
  });
  await run(command('setup', ...setup), place);
  await run(command('set', 'add', 'bench', source, '--no-presets', '--compression', compression), place);
  return {
    // The peers do not lower their priority for a present user.
    backup: () => command('backup', 'bench', '--priority', 'normal'),
    restore: (to) => command('restore', 'bench', '--to', to),
    restored: (to) => join(to, basename(source)),
    list: (folder) => command('ls', 'bench', join(source, folder)),
  };
}
