import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { linuxDocuments, manualPage } from '../../../../scripts/package/linux-documents.ts';

const ROOT = dirname(dirname(dirname(dirname(import.meta.dirname))));

let parts: string;
beforeEach(() => {
  parts = mkdtempSync(join(tmpdir(), 'holdfast-documents-'));
});
afterEach(() => rmSync(parts, { recursive: true }));

describe('the documents of the app’s packages', () => {
  test('are manual page, licence and changelog, with the names of Debian’s policy', () => {
    const changelog = '# Changelog\n';
    const { both, debian } = linuxDocuments({ root: ROOT, parts, version: '1.2.3', epoch: 1_795_824_000, changelog });
    expect(both).toEqual([
      `${parts}/documents/=/usr/share/doc/holdfast-app`,
      `${parts}/manual/holdfast-app.1.gz=/usr/share/man/man1/holdfast-app.1.gz`,
    ]);
    expect(debian).toEqual([`${parts}/debian/changelog.gz=/usr/share/doc/holdfast-app/changelog.gz`]);
    expect(gunzipSync(readFileSync(join(parts, 'debian/changelog.gz'))).toString()).toMatch(
      /^holdfast-app \(1\.2\.3\) stable; urgency=medium\n\n {2}\* .+\n\n -- .+ <.+@.+> {2}Sat, 28 Nov 2026 00:00:00 \+0000\n$/,
    );
    expect(gunzipSync(readFileSync(join(parts, 'documents/CHANGELOG.md.gz'))).toString()).toBe(changelog);
    expect(readFileSync(join(parts, 'documents/copyright'), 'utf8')).toMatch(
      /^Copyright: 2026 The Holdfast authors\nLicense: Apache-2\.0\n/m,
    );
    // The name and the time of a file would make each build another one.
    expect([...readFileSync(join(parts, 'manual/holdfast-app.1.gz')).subarray(3, 8)]).toEqual([0, 0, 0, 0, 0]);
  });

  test.skipIf(spawnSync('groff', ['--version']).error !== undefined)('groff has no warning about the page', () => {
    const file = join(parts, 'page.1');
    writeFileSync(file, manualPage('1.2.3', '2026-11-28'));
    const words = ['-man', '-Tutf8', '-ww', '-P-c', file];
    const { stdout, stderr } = spawnSync('groff', words, { encoding: 'utf8' });
    expect(stderr).toBe('');
    // Bold letters are printed twice.
    const text = stdout.split('\b').reduce((before, after) => before.slice(0, -1) + after);
    expect(text).toContain('holdfast-app - back up folders');
    expect(text).toContain('--previous-versions PATH');
  });
});
