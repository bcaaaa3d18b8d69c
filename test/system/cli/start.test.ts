import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadedLibraries } from '../../helpers/loaded-libraries.ts';

const program = join(import.meta.dirname, '../../../src/cli/main.ts');

/** Returns the names of the libraries and formats that a command loads from the sources. */
function loadedBy(...words: readonly string[]): readonly string[] {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return loadedLibraries([program, ...words], { HOME: home, HOLDFAST_HOME: join(home, 'home') });
}

describe('the start of the program', () => {
  test('loads no database, schemas or tables of a language when a command needs none', () => {
    const loaded = loadedBy('--version');
    expect(loaded).toContain('commander');
    expect(loaded).not.toContain('better-sqlite3');
    expect(loaded).not.toContain('zod');
    expect(loaded.filter((name) => name.startsWith('Intl.'))).toEqual([]);
  });
});
