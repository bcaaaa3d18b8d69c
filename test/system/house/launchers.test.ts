import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');

function flagsOf(launcher: string): readonly string[] {
  const text = readFileSync(path.join(root, launcher), 'utf8');
  const start = text.split(/\r?\n/).find((line) => line.includes('--max-semi-space-size'));
  return start?.match(/--[a-z-]+=\S+/g) ?? [];
}

test('every launcher of the command line starts Node with the same limits', () => {
  const flags = flagsOf('bin/holdfast');
  expect(flags).toContain('--initial-heap-size=64');
  expect(flagsOf('bin/holdfast.cmd')).toEqual(flags);
  expect(flagsOf('scripts/package-cli/launcher.sh')).toEqual(flags);
});
