import { describe, expect, test } from 'vitest';
import { isHigher, isSystemTooOld, readMetadata } from '../../../../../src/main/updates/metadata/update-metadata.ts';

const FILE = { url: 'Holdfast-1.2.3-x86_64.AppImage', sha512: `${'A'.repeat(86)}==`, size: 100 };
const METADATA = {
  version: '1.2.3',
  files: [FILE],
  path: FILE.url,
  sha512: FILE.sha512,
  releaseDate: '2026-11-23T00:00:00.000Z',
};
const LINUX = { platform: 'linux', arch: 'x64' } as const;

describe('metadata of an update', () => {
  test('names the file for this computer', () => {
    const arm = { ...FILE, url: 'Holdfast-1.2.3-arm64.AppImage' };
    const deb = { ...FILE, url: 'Holdfast-1.2.3-amd64.deb' };
    const files = [deb, arm, FILE];
    expect(readMetadata({ ...METADATA, files }, LINUX).files).toEqual([FILE]);
    expect(readMetadata({ ...METADATA, files }, { platform: 'linux', arch: 'arm64' }).files).toEqual([arm]);
    expect(readMetadata({ ...METADATA, files }, { platform: 'win32', arch: 'x64' }).files).toEqual([]);
    const mac = { ...FILE, url: 'Holdfast-1.2.3-universal.zip' };
    expect(readMetadata({ ...METADATA, files: [mac] }, { platform: 'darwin', arch: 'arm64' }).files).toEqual([mac]);
  });

  test('keeps the share of a roll-out, which electron-updater compares', () => {
    expect(readMetadata({ ...METADATA, stagingPercentage: 10 }, LINUX).stagingPercentage).toBe(10);
  });

  test('keeps the least system, which is compared with this one', () => {
    expect(readMetadata({ ...METADATA, minimumSystemVersion: '22.0.0' }, LINUX).minimumSystemVersion).toBe('22.0.0');
  });

  test.each([['13'], ['13.0'], ['macOS 13.0.0'], ['22.0.0-beta'], ['22.0.0\n'], [`${'9'.repeat(9)}.0.0`], [22]])(
    'is refused with the least system %j',
    (minimumSystemVersion) => {
      expect(() => readMetadata({ ...METADATA, minimumSystemVersion }, LINUX)).toThrow('metadata');
    },
  );

  test.each([
    ['another product', { url: 'Other-1.2.3-x86_64.AppImage' }],
    ['another version', { url: 'Holdfast-1.2.2-x86_64.AppImage' }],
    ['another folder', { url: '../Holdfast-1.2.3-x86_64.AppImage' }],
    ['another server', { url: 'https://example.org/Holdfast-1.2.3-x86_64.AppImage' }],
    ['a folder of Windows', { url: String.raw`..\Holdfast-1.2.3-x86_64.AppImage` }],
    ['another name at its end', { url: 'Holdfast-1.2.3-x86_64.AppImage/../../autostart' }],
    ['another name by its code', { url: 'Holdfast-1.2.3-x86_64.AppImage%2F..%2Fautostart' }],
    ['a second line', { url: 'Holdfast-1.2.3-x86_64.AppImage\n' }],
    ['an argument', { url: 'Holdfast-1.2.3-x86_64.AppImage?of=another' }],
    ['no hash', { sha512: '' }],
    ['no size', { size: 0 }],
    ['an endless size', { size: 3_000_000_000 }],
  ])('is refused with a file of %s', (_name, part) => {
    expect(() => readMetadata({ ...METADATA, files: [{ ...FILE, ...part }] }, LINUX)).toThrow('metadata');
  });

  test.each([['1.2.3-beta'], ['1.2'], ['latest'], ['01.2.3'], ['1.2.3 ']])(
    'is refused with the version %s',
    (version) => {
      expect(() => readMetadata({ ...METADATA, version }, LINUX)).toThrow('metadata');
    },
  );

  test.each([[undefined], ['text'], [{ ...METADATA, files: [] }], [{ ...METADATA, stagingPercentage: '50' }]])(
    'is refused as %j',
    (parsed) => {
      expect(() => readMetadata(parsed, LINUX)).toThrow('metadata');
    },
  );
});

test.each([
  ['1.2.4', '1.2.3', true],
  ['1.10.0', '1.9.9', true],
  ['2.0.0', '1.99.99', true],
  ['1.2.3', '1.2.3', false],
  ['1.2.2', '1.2.3', false],
  ['0.99.0', '1.0.0', false],
  ['1.2.3', '1.2.3-beta.1', true],
  ['1.2.4', '1.2.3-beta.1', true],
  ['1.2.2', '1.2.3-beta.1', false],
])('%s is higher than %s: %s', (one, other, expected) => {
  expect(isHigher(one, other)).toBe(expected);
});

test.each([
  // macOS 12 and 13: `os.release()` is the version of the kernel.
  ['22.0.0', '21.6.0', true],
  ['22.0.0', '22.0.0', false],
  ['22.0.0', '24.5.0', false],
  ['10.0.22631', '10.0.19045', true],
  ['10.0.22631', '10.0.26100', false],
  // A suffix is no sign of an earlier version.
  ['6.8.0', '6.8.0-45-generic', false],
  ['6.8.1', '6.8.0-45-generic', true],
  ['6.8.0', '6.8-rc1', false],
  ['22.0.0', 'unknown', false],
  [undefined, '21.6.0', false],
])('a release that needs %j is too new for the system %s: %s', (needed, release, expected) => {
  expect(isSystemTooOld(needed, release)).toBe(expected);
});
