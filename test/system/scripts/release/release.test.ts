import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeRelease } from '../../../../scripts/release/release.ts';

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- Backs up.\n';
/** A small project with the commands that a release runs. */
const MANIFEST = {
  name: 'project',
  version: '1.0.0',
  description: 'A project.',
  license: 'Apache-2.0',
  homepage: 'https://example.org',
  scripts: {
    check: 'node check.cjs broken',
    'test:all': 'node check.cjs red',
    'package:cli': 'node package.cjs a.deb a.tar.xz',
    package: 'node package.cjs App.deb latest-linux.yml',
  },
};
const { 'test:all': _test, ...others } = MANIFEST.scripts;
const WITHOUT_TESTS = JSON.stringify({ ...MANIFEST, scripts: others }, undefined, 2);
const SOURCES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify(MANIFEST, undefined, 2),
  'package-lock.json': JSON.stringify({
    name: 'project',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { version: '1.0.0' } },
  }),
  'src/base/version.ts': "export const VERSION = '1.0.0';\n",
  'CHANGELOG.md': CHANGELOG,
  'check.cjs': `const [, , file] = process.argv;
if (require('node:fs').existsSync(file)) process.exit(1);
`,
  'package.cjs': `const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
const out = words[words.indexOf('--out') + 1];
mkdirSync(out, { recursive: true });
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const name of words.slice(0, words.indexOf('--out'))) writeFileSync(out + '/' + name, version);
if (readFileSync('CHANGELOG.md', 'utf8').includes('third party') && words[0] === 'App.deb') writeFileSync(out + '/NOT-FOR-RELEASE.txt', 'A third party.');
`,
};

describe('a release', () => {
  let folder: string;
  let root: string;
  let said: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-release-test-'));
    root = join(folder, 'project');
    said = [];
    for (const [name, content] of Object.entries(SOURCES)) write(name, content);
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'Anna');
    git('config', 'user.email', 'anna@example.org');
    commit('README.md', '# Project\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const git = (...words: readonly string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const out = (): string => join(folder, 'out');

  function write(name: string, content: string): void {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }

  function commit(name: string, content: string): void {
    write(name, content);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'change');
  }

  function release(
    version: string,
    { isDryRun = false, environment = signed() }: { isDryRun?: boolean; environment?: NodeJS.ProcessEnv } = {},
  ): void {
    const say = (line: string): number => said.push(line);
    makeRelease({ root, version, out: out(), isDryRun, withApp: true, environment, say });
  }

  function signed(): NodeJS.ProcessEnv {
    const { privateKey } = generateKeyPairSync('ed25519');
    return { HOLDFAST_RELEASE_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
  }

  /** Nothing has changed in the checkout, and no second one is left. */
  function isUntouched(head: string): void {
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('tag', '--list')).toBe('');
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toBe(CHANGELOG);
  }

  test('has packages of its version, notes, bills, provenance, sums and signatures, and tags its commit', () => {
    release('1.1.0');
    expect(readdirSync(out()).sort()).toEqual([
      'App.deb',
      'SHA256SUMS',
      'SHA256SUMS.sig',
      'a.deb',
      'a.tar.xz',
      'holdfast-1.1.0-notes.md',
      'holdfast-1.1.0.intoto.jsonl',
      'holdfast-1.1.0.provenance.json',
      'holdfast-app-1.1.0.cdx.json',
      'holdfast-cli-1.1.0.cdx.json',
      'latest-linux.yml',
      'latest-linux.yml.sig',
      'release-key.pem',
    ]);
    expect(readFileSync(join(out(), 'a.deb'), 'utf8')).toBe('1.1.0');
    expect(readFileSync(join(out(), 'holdfast-1.1.0-notes.md'), 'utf8')).toBe('- Backs up.\n');
    const sums = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out(), encoding: 'utf8' });
    expect(sums).toMatchObject({ status: 0 });
    expect(sums.stdout.trim().split('\n')).toHaveLength(10);
    for (const file of ['SHA256SUMS', 'latest-linux.yml']) {
      const verify = [
        'pkeyutl',
        '-verify',
        '-rawin',
        '-pubin',
        '-inkey',
        'release-key.pem',
        '-in',
        file,
        '-sigfile',
        `${file}.sig`,
      ];
      expect(spawnSync('openssl', verify, { cwd: out() }).status).toBe(0);
    }
    expect(git('rev-parse', 'v1.1.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('status', '--porcelain')).toBe('');
    expect(readFileSync(join(root, 'src/base/version.ts'), 'utf8')).toContain("'1.1.0'");
    expect(git('log', '-1', '--format=%s')).toBe('release: 1.1.0');
    const statement = JSON.parse(readFileSync(join(out(), 'holdfast-1.1.0.provenance.json'), 'utf8')) as object;
    expect(JSON.stringify(statement)).toContain(git('rev-parse', 'HEAD'));
    expect(said.join('\n')).toMatch(/a\.deb +0\.00 MB/);
  });

  test('that is a trial makes no commit and no tag, and needs no key', () => {
    const head = git('rev-parse', 'HEAD');
    release('1.1.0', { isDryRun: true, environment: {} });
    isUntouched(head);
    expect(existsSync(join(out(), 'SHA256SUMS'))).toBe(true);
    expect(existsSync(join(out(), 'SHA256SUMS.sig'))).toBe(false);
    expect(said).toContain('Not signed: there is no key.');
  });

  test.each([
    ['changes that are not committed', () => write('new', ''), '1.1.0', /not committed/],
    ['a version that is not newer', () => undefined, '0.9.0', /not newer/],
    ['a version that has a tag', () => git('tag', 'v1.1.0'), '1.1.0', /there is a tag/],
    ['nothing in the changelog', () => commit('CHANGELOG.md', '## Unreleased\n'), '1.1.0', /empty/],
    ['a check that fails', () => commit('broken', ''), '1.1.0', /npm run check/],
    ['a test that fails', () => commit('red', ''), '1.1.0', /npm run test:all/],
    ['a project without tests', () => commit('package.json', WITHOUT_TESTS), '1.1.0', /npm run test:all/],
    ['a folder that exists', () => mkdirSync(join(folder, 'out')), '1.1.0', /exists/],
    [
      'a third party’s Electron',
      () => commit('CHANGELOG.md', `${CHANGELOG}- A third party.\n`),
      '1.1.0',
      /third party/,
    ],
  ])('stops at %s', (_what, change, version, message) => {
    change();
    const head = git('rev-parse', 'HEAD');
    expect(() => release(version)).toThrow(message);
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  test.each([true, false])('builds nothing when a test fails (trial: %s)', (isDryRun) => {
    commit('red', '');
    const head = git('rev-parse', 'HEAD');
    expect(() => release('1.1.0', { isDryRun })).toThrow(/npm run test:all/);
    expect(existsSync(out())).toBe(false);
    isUntouched(head);
  });

  test('stops without a key', () => {
    const head = git('rev-parse', 'HEAD');
    expect(() => release('1.1.0', { environment: {} })).toThrow(/a release is signed/);
    isUntouched(head);
  });

  test('may be the first one with the version that the sources have', () => {
    release('1.0.0');
    expect(git('tag', '--list')).toBe('v1.0.0');
    expect(() => release('1.0.0')).toThrow(/there is a tag/);
  });
});
