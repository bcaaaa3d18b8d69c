import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, '../../../src/base/no-core-files.ts');
const HAS_TOOL = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;

/** The limits of core files of a process, which begins with the most that it may have, and of one that it starts. */
function limits(call: string): string[] {
  const read = `import { execFileSync } from 'node:child_process'; import { readFileSync } from 'node:fs';
    import { preventCoreFiles } from ${JSON.stringify(MODULE)}; ${call};
    console.log(readFileSync('/proc/self/limits', 'utf8') + execFileSync('cat', ['/proc/self/limits'], { encoding: 'utf8' }))`;
  const words = [
    '-c',
    'ulimit -S -c "$(ulimit -H -c)"; exec "$@"',
    'sh',
    process.execPath,
    '--input-type=module',
    '-e',
    read,
  ];
  const { stdout } = spawnSync('sh', words, { encoding: 'utf8' });
  return [...stdout.matchAll(/^Max core file size +(\S+)/gm)].map(([, limit]) => limit!);
}

test.skipIf(!HAS_TOOL)('no core files are written of a process that asks for none, and of those that it starts', () => {
  expect(limits('preventCoreFiles()')).toEqual(['0', '0']);
  // Without it there would be some.
  expect(limits('')).not.toContain('0');
});
