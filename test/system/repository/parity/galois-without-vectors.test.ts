import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

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
