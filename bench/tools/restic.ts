import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../compare/measure.ts';
import { versionLine } from './installed.ts';
import type { Command, Store, Tool, ToolName } from './tool.ts';

/** New repositories have format 2. */
export const restic: Tool = withCompression('restic', 'restic', 'off');
export const resticAuto: Tool = withCompression('restic-auto', 'restic `auto`', 'auto');
export const resticMax: Tool = withCompression('restic-max', 'restic `max`', 'max');

function withCompression(name: ToolName, label: string, compression: string): Tool {
  return {
    name,
    label,
    missing: () => (versionLine('restic', 'version') === undefined ? 'apt-get install restic' : undefined),
    version: () => versionLine('restic', 'version') ?? '',
    open: (place, source) => open(place, source, compression),
  };
}

async function open(place: string, source: string, compression: string): Promise<Store> {
  const repository = join(place, 'repository');
  const environment = {
    RESTIC_REPOSITORY: repository,
    RESTIC_PASSWORD: 'benchmark',
    RESTIC_CACHE_DIR: join(place, 'cache'),
  };
  mkdirSync(repository);
  const command = (...args: readonly string[]): Command => ({
    program: 'restic',
    args: ['--quiet', ...args],
    environment,
  });
  await run(command('init', '--repository-version', '2'), place);
  return {
    repository,
    backup: () => command('backup', '--compression', compression, source),
    restore: (to) => command('restore', 'latest', '--target', to),
    restored: (to) => join(to, source),
    // Without --quiet, which would print only errors.
    list: (folder) => ({ program: 'restic', args: ['ls', 'latest', join(source, folder)], environment }),
    close: () => Promise.resolve(),
  };
}
