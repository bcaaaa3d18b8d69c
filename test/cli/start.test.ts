import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

const program = join(import.meta.dirname, '../../src/cli/main.ts');

/**
 * Prints a line on standard error for the URL of each module of a library, whether imported or required, and for the name
 * of each format that is created with the tables of a language.
 */
const PRINT_LOADED = `
  import { writeSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (resolved.url.includes('/node_modules/')) writeSync(2, resolved.url + '\\n');
      return resolved;
    },
  });
  for (const name of ['DateTimeFormat', 'NumberFormat', 'PluralRules', 'RelativeTimeFormat']) {
    Intl[name] = new Proxy(Intl[name], {
      construct(target, args) {
        writeSync(2, 'Intl.' + name + '\\n');
        return new target(...args);
      },
    });
  }
`;

/** Returns the names of the libraries and formats that a command loads from the sources. */
function loadedBy(...args: readonly string[]): readonly string[] {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const preload = `data:text/javascript,${encodeURIComponent(PRINT_LOADED)}`;
  const printed = execFileSync(
    'sh',
    ['-c', '"$@" 2>&1 >/dev/null', 'sh', process.execPath, '--import', preload, program, ...args],
    { encoding: 'utf8', env: { HOME: home, HOLDFAST_HOME: join(home, 'home') } },
  );
  const names = Array.from(
    printed.matchAll(/^(?:.*\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\/.*|(Intl\.\w+))$/gm),
    ([, library, format]) => library ?? format!,
  );
  return Array.from(new Set(names)).sort();
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
