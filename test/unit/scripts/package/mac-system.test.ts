import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addNeededSystem, kernelOf, neededMacOS } from '../../../../scripts/package/mac-system.ts';
import { readMetadata } from '../../../../src/main/updates/metadata/update-metadata.ts';
import { parseUpdateInfo } from 'electron-updater/out/providers/Provider.js';

/** The names by which Electron says what it needs. */
const NAMES = { Monterey: '12.0', Ventura: '13.0', Sonoma: '14.0', Sequoia: '15.0', Tahoe: '26.0' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-mac-system-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the least macOS', () => {
  test('of the package is the one that the pinned Electron needs', () => {
    const [, name = ''] =
      /\* macOS \((\w+) and up\)/.exec(readFileSync('node_modules/electron/README.md', 'utf8')) ?? [];
    expect(neededMacOS(readFileSync('electron-builder.yml', 'utf8'))).toBe(new Map(Object.entries(NAMES)).get(name));
  });

  test('is named in the documents', () => {
    const needed = neededMacOS(readFileSync('electron-builder.yml', 'utf8')).replace(/\.0$/, '');
    for (const file of ['docs/macos.md', 'docs/packages.md']) {
      expect(readFileSync(file, 'utf8')).toContain(`macOS ${needed}`);
    }
  });

  test.each([
    ['12.0', '21.0.0'],
    ['13.0', '22.0.0'],
    ['15.0', '24.0.0'],
    ['26.0', '25.0.0'],
    ['27.0', '26.0.0'],
  ])('%s has the kernel %s', (macOS, kernel) => {
    expect(kernelOf(macOS)).toBe(kernel);
  });

  test('is in the metadata of an update as its kernel, which the app compares', () => {
    const file = join(folder, 'latest-mac.yml');
    const sha512 = `${'A'.repeat(86)}==`;
    writeFileSync(
      file,
      `version: 1.2.3\nfiles:\n  - url: Holdfast-1.2.3-universal.zip\n    sha512: ${sha512}\n    size: 7\nreleaseNotes: |-\n  - Better.\nreleaseDate: '2026-11-23T00:00:00.000Z'\n`,
    );
    addNeededSystem(folder, 'mac:\n  minimumSystemVersion: "13.0"\n');
    const parsed = parseUpdateInfo(readFileSync(file, 'utf8'), file, new URL('https://example.org'));
    expect(readMetadata(parsed, { platform: 'darwin', arch: 'arm64' })).toMatchObject({
      releaseNotes: '- Better.',
      minimumSystemVersion: '22.0.0',
    });
  });

  test('is added to no metadata where a build has none', () => {
    expect(() => addNeededSystem(folder, "minimumSystemVersion: '13.0'")).not.toThrow();
  });
});
