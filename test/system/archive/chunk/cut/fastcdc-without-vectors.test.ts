import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** URLs, since on Windows a path that begins with a drive is none. */
const chunk = new URL('../../../../../src/archive/chunk/cut/', import.meta.url).href;

test('JavaScript is used when WebAssembly lacks vectors', () => {
  const source = `
    import { createChunker } from ${JSON.stringify(`${chunk}fastcdc.ts`)};
    import { webAssemblyScan } from ${JSON.stringify(`${chunk}fastcdc-webassembly.ts`)};
    const length = 5 * 1024 * 1024;
    console.log(webAssemblyScan(length) === undefined, createChunker(length).cut(0, length));`;
  const refuse = 'data:text/javascript,WebAssembly.validate=()=>false';
  const child = spawnSync(process.execPath, ['--import', refuse, '--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  // Zeros are only cut at the largest size.
  expect(child).toMatchObject({ stdout: 'true 4194304\n', stderr: '' });
});
