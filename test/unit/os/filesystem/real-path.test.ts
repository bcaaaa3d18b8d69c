import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { spelledAsOnDisk } from '../../../../src/os/filesystem/real-path.ts';

describe('the spelling of the disk', () => {
  test('is that of each name that exists, where any case finds it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-spelling-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const other = process.platform === 'win32' ? 'both' : 'Both';
    for (const name of ['Documents', 'B\u00fcro', 'both', other])
      mkdirSync(join(folder, name, 'Inner'), { recursive: true });
    const at = (...names: string[]): string => join(folder, ...names);
    for (const [given, spelled] of [
      [at('DOCUMENTS', 'inner'), at('Documents', 'Inner')],
      [at('documents', 'Gone', 'Too'), at('Documents', 'Gone', 'Too')],
      [at('b\u00dcro'), at('B\u00fcro')],
      [at('both'), at('both')],
      [at(other), at(other)],
    ] as const) {
      expect(spelledAsOnDisk(given, 'darwin')).toEqual(spelled);
      expect(spelledAsOnDisk(given, 'linux')).toBe(given);
    }
  });

  test.skipIf(process.platform !== 'win32')('has the letter of a drive in upper case', () => {
    expect(spelledAsOnDisk('c:\\')).toBe('C:\\');
    expect(spelledAsOnDisk('c:\\WINDOWS\\SYSTEM32')).toBe('C:\\windows\\system32');
  });
});
