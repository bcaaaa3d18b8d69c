import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { dirname } from 'node:path';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  /** The file system that data and repositories lie on. */
  readonly fileSystem: string;
}

const root = dirname(dirname(import.meta.dirname));

export function describeMachine(directory: string): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    kernel: release(),
    fileSystem: output('df', '--output=fstype', directory).split('\n').at(-1) ?? '',
  };
}

/** The commit of this checkout, and whether files of it differ from the commit. */
export function describeCommit(): { readonly commit: string; readonly changed: boolean } {
  return {
    commit: output('git', '-C', root, 'rev-parse', '--short=12', 'HEAD'),
    changed: output('git', '-C', root, 'status', '--porcelain', '--untracked-files=no', '--', 'src', 'bin') !== '',
  };
}

function output(program: string, ...args: readonly string[]): string {
  return spawnSync(program, args, { encoding: 'utf8' }).stdout?.trim() ?? '';
}
