import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const checkedIn = readFileSync(join(root, 'src/repository/parity/galois-multiply-bytes.ts'), 'utf8');
const version = /build-parity\.sh with clang (\d+\.\d+\.\d+)\./.exec(checkedIn)?.[1];
const clang = spawnSync('clang', ['-dumpversion'], { encoding: 'utf8' }).stdout?.trim();
const sameCompiler = clang === version && spawnSync('wasm-ld', ['--version']).status === 0;

test('the module names its compiler', () => {
  expect(version).toBeDefined();
});

test.skipIf(!sameCompiler)(`the bytes equal the output of clang ${version} and wasm-ld for galois-multiply.c`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-parity-'));
  try {
    const output = join(folder, 'bytes.ts');
    const built = spawnSync(join(root, 'scripts/build-parity.sh'), [output], { encoding: 'utf8' });
    expect(built).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(output, 'utf8')).toBe(checkedIn);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('JavaScript is used when WebAssembly lacks vectors', () => {
  const source = `
    import { newMultiplyMemory } from ${JSON.stringify(join(root, 'src/repository/parity/galois-multiply.ts'))};
    import { encodeParity } from ${JSON.stringify(join(root, 'src/repository/parity/parity-file.ts'))};
    import { createHash } from 'node:crypto';
    const file = encodeParity(Buffer.alloc(5000, 7), 10);
    console.log(newMultiplyMemory(16).multiply.length, createHash('sha256').update(file).digest('hex'));`;
  const run = (...options: string[]): string => {
    const words = [...options, '--input-type=module', '-e', source];
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim().split(' ')[1]!;
  };
  expect(run('--import', 'data:text/javascript,WebAssembly.validate=()=>false')).toBe(run());
});
