import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { npmCommand } from '../../../scripts/npm.ts';

const SITE = join(import.meta.dirname, '../../../docs/site');

test('the lock of the documents’ site installs what its package names, on every system', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-site-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(SITE, name), join(folder, name));
  // Compares both and installs nothing.
  const words = ['ci', '--dry-run', '--ignore-scripts', '--no-audit', '--no-fund'];
  const [npm, ...own] = npmCommand();
  const { status, stderr } = spawnSync(npm, [...own, ...words], { cwd: folder, encoding: 'utf8' });
  expect({ status, problem: status === 0 ? '' : stderr }).toEqual({ status: 0, problem: '' });
});
