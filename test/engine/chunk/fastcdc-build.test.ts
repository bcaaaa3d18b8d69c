import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const checkedIn = readFileSync(join(root, 'src/engine/chunk/fastcdc-bytes.ts'), 'utf8');
const version = /build-chunker\.sh with clang (\d+\.\d+\.\d+)\./.exec(checkedIn)?.[1];
const clang = spawnSync('clang', ['-dumpversion'], { encoding: 'utf8' }).stdout?.trim();
const sameCompiler = clang === version && spawnSync('wasm-ld', ['--version']).status === 0;

test('the module names its compiler', () => {
  expect(version).toBeDefined();
});

test.skipIf(!sameCompiler)(`the bytes equal the output of clang ${version} and wasm-ld for fastcdc.c`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-chunker-'));
  try {
    const output = join(folder, 'fastcdc-bytes.ts');
    const built = spawnSync(join(root, 'scripts/build-chunker.sh'), [output], { encoding: 'utf8' });
    expect(built).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(output, 'utf8')).toBe(checkedIn);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('JavaScript is used when WebAssembly lacks vectors', () => {
  const source = `
    import { createChunker } from ${JSON.stringify(join(root, 'src/engine/chunk/fastcdc.ts'))};
    import { webAssemblyScan } from ${JSON.stringify(join(root, 'src/engine/chunk/fastcdc-webassembly.ts'))};
    const length = 5 * 1024 * 1024;
    console.log(webAssemblyScan(length) === undefined, createChunker(length).cut(0, length));`;
  const refuse = 'data:text/javascript,WebAssembly.validate=()=>false';
  const child = spawnSync(process.execPath, ['--import', refuse, '--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  // Zeros are only cut at the largest size.
  expect(child).toMatchObject({ stdout: 'true 4194304\n', stderr: '' });
});
