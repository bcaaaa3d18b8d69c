import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readMetadata } from '../../../../src/main/updates/metadata/update-metadata.ts';

/** Returns the names that electron-builder lists in `latest.yml`: with several processors, unless told otherwise, one installer for all as well. */
function installersOf(settings: string, version: string): readonly string[] {
  const [, list = ''] = /target: nsis\n\s+arch: \[(.*)\]/.exec(settings) ?? [];
  const separate = list.split(', ').map((arch) => `Holdfast-${version}-${arch}.exe`);
  return settings.includes('\n  buildUniversalInstaller: false\n')
    ? separate
    : [`Holdfast-${version}.exe`, ...separate];
}

test.each(['x64', 'arm64'])('a Windows with %s takes the installer of its processor', (arch) => {
  const names = installersOf(readFileSync('electron-builder.yml', 'utf8'), '1.2.3');
  expect(names).toHaveLength(2);
  const files = names.map((url) => ({ url, sha512: `${'A'.repeat(86)}==`, size: 1 }));
  const metadata = { version: '1.2.3', files, releaseDate: '2026-11-28T00:00:00.000Z' };
  expect(readMetadata(metadata, { platform: 'win32', arch }).files.map(({ url }) => url)).toEqual([
    `Holdfast-1.2.3-${arch}.exe`,
  ]);
});
