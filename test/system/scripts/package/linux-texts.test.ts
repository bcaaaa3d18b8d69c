import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CATEGORIES, COMMENT, desktopEntry, LANGUAGES } from '../../../../scripts/package/linux-texts.ts';
import { metainfo } from '../../../../scripts/package/metainfo.ts';
import { LANGUAGE_NAMES } from '../../../../src/strings/strings.ts';

const OF_THE_APP = Object.keys(LANGUAGE_NAMES);
const has = (program: string): boolean => spawnSync('which', [program]).status === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-texts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('what menus and software centres show', () => {
  test('is in every language of the app', () => {
    expect(Object.keys(LANGUAGES).toSorted()).toEqual([...OF_THE_APP].toSorted());
    const others = OF_THE_APP.filter((language) => language !== 'en').toSorted();
    const entry = desktopEntry();
    for (const key of ['GenericName', 'Comment', 'Keywords']) {
      const translated = Object.keys(entry).flatMap((name) =>
        name.startsWith(`${key}[`) ? name.slice(key.length + 1, -1) : [],
      );
      expect([key, translated.toSorted()]).toEqual([key, others]);
    }
    const xml = metainfo('', '1.2.3', 'https://example.org', '2026-11-28');
    for (const tag of ['summary', 'p']) {
      for (const language of others) {
        const found = [...xml.matchAll(new RegExp(`<${tag} xml:lang="${language}">[^<]+</${tag}>`, 'g'))];
        expect([tag, language, found.length]).toEqual([tag, language, tag === 'p' ? 2 : 1]);
      }
    }
    expect(xml).toContain(`<summary>${COMMENT}</summary>`);
    expect([...xml.matchAll(/<category>(\w+)</g)].map(([, name]) => name)).toEqual(CATEGORIES.split(';'));
  });

  test.skipIf(!has('desktop-file-validate'))('is a valid entry of a menu', () => {
    const file = join(folder, 'org.holdfast.Holdfast.desktop');
    const entry = {
      Name: 'Holdfast',
      Exec: '/opt/Holdfast/holdfast-app %U',
      Type: 'Application',
      Comment: COMMENT,
      ...desktopEntry(),
      Categories: `${CATEGORIES};`,
    };
    writeFileSync(file, ['[Desktop Entry]', ...Object.entries(entry).map((pair) => pair.join('=')), ''].join('\n'));
    expect(spawnSync('desktop-file-validate', [file], { encoding: 'utf8' })).toMatchObject({ stdout: '', status: 0 });
  });

  test.skipIf(!has('appstreamcli'))('is valid for software centres', () => {
    const file = join(folder, 'org.holdfast.Holdfast.metainfo.xml');
    writeFileSync(file, metainfo('', '1.2.3', 'https://holdfast.example.org', '2026-11-28'));
    const { status, stdout } = spawnSync('appstreamcli', ['validate', '--no-net', file], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Validation was successful')]);
  });
});
