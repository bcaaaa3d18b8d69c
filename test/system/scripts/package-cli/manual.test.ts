import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine, withCommands } from '../../../../scripts/package-cli/command-model.ts';
import { manualPages, servicePage } from '../../../../scripts/package-cli/manual/pages.ts';
import { paragraphs, roffText } from '../../../../scripts/package-cli/manual/roff.ts';

const has = (tool: string): boolean => spawnSync(tool, ['--version']).error === undefined;
const program = commandLine();
const pages = manualPages(program, { version: '1.2.3', date: '2026-11-23' });

describe('the manual', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-manual-'));
    for (const [name, page] of pages) writeFileSync(join(folder, name), page);
    writeFileSync(join(folder, 'holdfast-service.8'), servicePage({ version: '1.2.3', date: '2026-11-23' }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has a page for the program and for each of its commands', () => {
    const names = ['holdfast.1', ...program.commands.map(({ path }) => `${path.join('-')}.1`)];
    expect([...pages.keys()]).toEqual(names);
  });

  test('names every command, option and argument of the definition', () => {
    const missing = program.commands.flatMap((top) => {
      const page = pages.get(`${top.path.join('-')}.1`)!;
      const all = withCommands(top);
      const runs = all.filter(({ commands, arguments: words }) => commands.length === 0 || words.length > 0);
      const terms = runs
        .map(({ path }) => path.join(' '))
        .concat(all.flatMap(({ options }) => options.map(({ term }) => term)));
      return terms.filter((term) => !page.includes(roffText(term)));
    });
    expect(missing).toEqual([]);
  });

  test('shows the commands of the help as commands, and its sentences as sentences', () => {
    const text = 'Start with:\n  holdfast setup\n  holdfast backup\n\nCodes: 0 done,\n            1 failed';
    const lines = ['Start with:', '.PP', '.RS 4', '.nf', 'holdfast setup', 'holdfast backup', '.fi', '.RE'];
    expect(paragraphs(text).join('\n').split('\n')).toEqual(['.PP', ...lines, '.PP', 'Codes: 0 done,', '1 failed']);
  });

  test('writes text without its meaning for roff', () => {
    expect(roffText(String.raw`.a --b 'c' \d ~`)).toBe(String.raw`\&.a \-\-b \(aqc\(aq \ed \(ti`);
    expect(roffText('“ä” …')).toBe(String.raw`\(lq\[u00E4]\(rq ...`);
  });

  test.skipIf(!has('groff'))('groff has no warning, and shows hyphens that can be pasted', () => {
    const shown = [...pages.keys(), 'holdfast-service.8'].map((name) => {
      const words = ['-man', '-ww', '-Tutf8', '-P-cbou', join(folder, name)];
      return spawnSync('groff', words, { encoding: 'utf8', env: { ...process.env, MANWIDTH: '200' } });
    });
    expect(shown.map(({ stderr }) => stderr).join('')).toBe('');
    const restore = shown[[...pages.keys()].indexOf('holdfast-restore.1')]!.stdout;
    expect(restore).toContain('--in-place');
    expect(restore).not.toMatch(/‐‐|−/);
    expect(shown.at(-1)!.stdout).toMatch(
      /holdfast-service - .+\n[^]+holdfast-service check --config \/etc\/holdfast\/service\.json/,
    );
  });

  test.skipIf(spawnSync('mandoc', ['-h']).error !== undefined)('mandoc has no warning', () => {
    const files = [...pages.keys(), 'holdfast-service.8'].map((name) => join(folder, name));
    expect(spawnSync('mandoc', ['-Tlint', '-Wwarning', ...files], { encoding: 'utf8' }).stdout).toBe('');
  });
});
