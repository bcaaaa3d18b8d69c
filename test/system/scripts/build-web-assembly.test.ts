import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const clang = spawnSync('clang', ['-dumpversion'], { encoding: 'utf8' }).stdout?.trim();
const hasLinker = spawnSync('wasm-ld', ['--version']).status === 0;

describe.each(['src/archive/chunk/cut/fastcdc', 'src/repository/parity/galois-multiply'])(
  'the module of %s.c',
  (source) => {
    const checkedIn = readFileSync(join(root, `${source}-bytes.ts`), 'utf8');
    const version = /build-web-assembly\.sh with clang (\d+\.\d+\.\d+)\./.exec(checkedIn)?.[1];

    test('names its compiler', () => {
      expect(version).toBeDefined();
    });

    test.skipIf(clang !== version || !hasLinker)(`equals the output of clang ${version} and wasm-ld`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-web-assembly-'));
      try {
        const output = join(folder, 'bytes.ts');
        const words = [join(root, `${source}.c`), output];
        const built = spawnSync(join(root, 'scripts/build-web-assembly.sh'), words, { encoding: 'utf8' });
        expect(built).toMatchObject({ status: 0, stderr: '' });
        expect(readFileSync(output, 'utf8')).toBe(checkedIn);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  },
);
