import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = new URL('../../../../src/base/files/owner-only.ts', import.meta.url).href;

/** Prints the umask of programs that a process starts. */
const PROGRAM = `
  import { execFileSync } from 'node:child_process';
  import { createForOwnerOnly, withInheritedUmask } from '${MODULE}';
  const umask = () => execFileSync('sh', ['-c', 'umask'], { encoding: 'utf8' }).trim();
  const before = withInheritedUmask(umask);
  createForOwnerOnly();
  console.log([before, umask(), withInheritedUmask(umask), umask()].join());
`;

test('programs for a person are started with the umask that the process was started with', () => {
  const words = ['-c', 'umask 027; exec "$0" --input-type=module --eval "$1"', process.execPath, PROGRAM];
  expect(execFileSync('sh', words, { encoding: 'utf8' }).trim()).toBe('0027,0077,0027,0077');
});
