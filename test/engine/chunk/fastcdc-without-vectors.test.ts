import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

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
