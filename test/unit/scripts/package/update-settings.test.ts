import { expect, test } from 'vitest';
import { releaseInfo } from '../../../../scripts/package/update-settings.ts';
import { readMetadata } from '../../../../src/main/updates/metadata/update-metadata.ts';

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n## 1.2.3 (2026-11-28)\n\n- **Faster**.\n\n## 1.2.2\n\n- Older.\n';
const FILE = { url: 'Holdfast-1.2.3-x86_64.AppImage', sha512: `${'A'.repeat(86)}==`, size: 100 };

test('the metadata of an update have the changes of its version, and the time of its sources', () => {
  expect(releaseInfo(CHANGELOG, '1.2.3', '1700000000')).toEqual({
    releaseNotes: '- **Faster**.',
    releaseDate: '2023-11-14T22:13:20.000Z',
  });
});

test('the app accepts the metadata of a version with very many changes', () => {
  const long = CHANGELOG.replace('- **Faster**.', '- **Faster**.\n'.repeat(20_000));
  const metadata = { version: '1.2.3', files: [FILE], ...releaseInfo(long, '1.2.3', '1700000000') };
  expect(readMetadata(metadata, { platform: 'linux', arch: 'x64' }).releaseNotes).toContain('**Faster**');
});
