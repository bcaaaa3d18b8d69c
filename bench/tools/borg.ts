import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../compare/measure.ts';
import { versionLine } from './installed.ts';
import type { Command, Store, Tool, ToolName } from './tool.ts';

/**
 * With `repokey`: AES-256-CTR with HMAC-SHA256. According to Borg's manual `repokey-blake2` is slower
 * on processors with SHA instructions, which most current ones have.
 */
export const borg: Tool = withCompression('borg', 'Borg', 'none');
export const borgLz4: Tool = withCompression('borg-lz4', 'Borg `lz4`', 'lz4');
export const borgZstd: Tool = withCompression('borg-zstd', 'Borg `zstd`', 'zstd');

function withCompression(name: ToolName, label: string, compression: string): Tool {
  return {
    name,
    label,
    missing: () => (versionLine('borg', '--version') === undefined ? 'apt-get install borgbackup' : undefined),
    version: () => versionLine('borg', '--version') ?? '',
    open: (place, source) => open(place, source, compression),
  };
}

async function open(place: string, source: string, compression: string): Promise<Store> {
  const repository = join(place, 'repository');
  const environment = {
    BORG_REPO: repository,
    BORG_PASSPHRASE: 'benchmark',
    BORG_BASE_DIR: join(place, 'base'),
  };
  mkdirSync(environment.BORG_BASE_DIR);
  const command = (...args: readonly string[]): Command => ({ program: 'borg', args, environment });
  await run(command('init', '--encryption', 'repokey'), place);
  let archives = 0;
  return {
    repository,
    backup() {
      archives += 1;
      return command('create', '--compression', compression, `::${archives}`, source);
    },
    restore: (to) => ({ ...command('extract', `::${archives}`), directory: to }),
    restored: (to) => join(to, source),
    // In this pattern style * stops at a slash; paths in an archive have no leading slash.
    list: (folder) =>
      command('list', `--pattern=+sh:${join(source, folder).slice(1)}/*`, '--pattern=-*', `::${archives}`),
    close: () => Promise.resolve(),
  };
}
