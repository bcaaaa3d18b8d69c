import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';

test('the version is that of package.json', () => {
  const file = join(dirname(dirname(dirname(import.meta.dirname))), 'package.json');
  expect(VERSION).toBe((JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version);
});
