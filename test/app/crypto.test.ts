import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { ELECTRON } from './electron-fixture.ts';

const root = dirname(dirname(import.meta.dirname));

interface Results {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly name: string }[];
}

describe.skipIf(!ELECTRON)('cryptography in Electron (BoringSSL)', () => {
  test('passes all tests and known answers of the engine', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-electron-crypto-'));
    try {
      const file = join(folder, 'results.json');
      const words = ['run', 'test/unit/format', 'test/system/format', '--reporter=json', `--outputFile=${file}`];
      const vitest = spawn(ELECTRON!, [join(root, 'node_modules/vitest/vitest.mjs'), ...words], {
        cwd: root,
        env: { PATH: process.env['PATH'], HOME: folder, ELECTRON_RUN_AS_NODE: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [output, errors, [status]] = await Promise.all([
        text(vitest.stdout),
        text(vitest.stderr),
        once(vitest, 'exit'),
      ]);
      expect([status, status === 0 ? '' : output + errors]).toEqual([0, '']);
      const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
      const names = results.testResults.map(({ name }) => name.slice(root.length + 1));
      expect(names).toEqual(
        expect.arrayContaining(
          [
            'unit/format/crypto/aes-siv',
            'unit/format/crypto/blob',
            'unit/format/crypto/keys',
            'system/format/crypto/key-envelope',
          ].map((name) => `test/${name}.test.ts`),
        ),
      );
      expect(results.numPassedTests).toBeGreaterThan(100);
      expect(results.numPassedTests).toBe(results.numTotalTests);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('is BoringSSL', async () => {
    const program = "console.log(process.versions.openssl ?? 'boringssl', typeof require('node:crypto').argon2)";
    const node = spawn(ELECTRON!, ['-e', program], {
      env: { ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect((await text(node.stdout)).trim()).toMatch(/^0\.0\.0|boringssl/);
  });
});
