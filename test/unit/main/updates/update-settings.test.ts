import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isForbidden, policyFile, updateWay } from '../../../../src/main/updates/update-settings.ts';
import { newsOf } from '../../../../src/main/updates/news.ts';
import { startHiddenOnce, takeStartHidden } from '../../../../src/main/updates/start-hidden.ts';

const DEB = {
  platform: 'linux',
  isPackaged: true,
  server: 'https://example.org/updates',
  isAppImage: false,
  isWritable: false,
} as const;

test.each([
  ['a checkout', { ...DEB, isPackaged: false }, 'none'],
  ['a deb or rpm', DEB, 'package-manager'],
  ['a deb or rpm without a server', { ...DEB, server: undefined }, 'package-manager'],
  ['an archive', { ...DEB, isWritable: true }, 'archive'],
  ['an AppImage', { ...DEB, isAppImage: true, isWritable: true }, 'itself'],
  ['an AppImage of an administrator', { ...DEB, isAppImage: true }, 'archive'],
  ['an AppImage without a server', { ...DEB, isAppImage: true, isWritable: true, server: undefined }, 'none'],
  ['the installer of Windows', { ...DEB, platform: 'win32' }, 'itself'],
  ['macOS', { ...DEB, platform: 'darwin' }, 'itself'],
] as const)('%s is updated by: %3$s', (_name, installation, expected) => {
  expect(updateWay(installation)).toBe(expected);
});

describe('the file of the administrator', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-policy-'));
    file = join(folder, 'policy.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test.each([
    ['{ "updates": false }', true],
    ['{ "updates": true }', false],
    ['{ "another": 1 }', false],
    ['{ "updates": "no" }', true],
    ['{', true],
  ])('%s forbids updates: %s', (text, expected) => {
    writeFileSync(file, text);
    expect(isForbidden(file)).toBe(expected);
  });

  test('forbids nothing when it is missing, and everything when it cannot be read', () => {
    expect(isForbidden(file)).toBe(false);
    expect(isForbidden(join(file, 'below'))).toBe(false);
    mkdirSync(file);
    chmodSync(file, 0o700);
    expect(isForbidden(file)).toBe(true);
  });

  test('is where only administrators write', () => {
    expect(policyFile('linux', {})).toBe('/etc/holdfast/policy.json');
    expect(policyFile('win32', { ProgramData: 'D:\\Data' })).toMatch(/^D:\\Data.Holdfast.policy\.json$/);
  });
});

test.each([
  ['https://example.org/updates', 'itself'],
  ['http://127.0.0.1:8080/', 'itself'],
  ['http://example.org/', 'none'],
  ['http://127.0.0.1.example.org/', 'none'],
  ['http://localhost/', 'none'],
  ['ftp://example.org/', 'none'],
  ['file:///tmp', 'none'],
  ['updates', 'none'],
])('with the server %s an app is updated by: %s', (server, expected) => {
  expect(updateWay({ ...DEB, platform: 'win32', server })).toBe(expected);
});

test('the changes of a version end where those of the one before begin', () => {
  const changelog =
    '# Changelog\n\nWhat is new.\n\n## Unreleased\n\n- MaybePromise.\n\n## 1.10.0 · 2026-12-01\n\n- Ten.\n\n## 1.1.0\n\n- One.\n';
  expect(newsOf(changelog, '1.10.0')).toBe('- Ten.');
  expect(newsOf(changelog, '1.1.0')).toBe('- One.');
  expect(newsOf(changelog, '9.9.9')).toBe('- MaybePromise.');
  expect(newsOf('', '1.0.0')).toBe('');
});

test('a start is hidden once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-hidden-'));
  const mark = join(folder, 'mark');
  expect(takeStartHidden(mark)).toBe(false);
  startHiddenOnce(mark);
  expect([takeStartHidden(mark), takeStartHidden(mark)]).toEqual([true, false]);
  rmSync(folder, { recursive: true });
});
