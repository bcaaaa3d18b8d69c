import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fpmProgram } from '../../../scripts/package/tools.ts';

const PROGRAM = join(dirname(dirname(dirname(import.meta.dirname))), 'scripts/package/fpm/main.ts');
const has = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** What electron-builder passes, in its order. */
const WORDS = [
  ['-s', 'dir', '--force', '-t', 'deb'],
  ['--deb-compression', 'xz', '--architecture', 'amd64'],
  ['--description', 'Backs up folders\n And restores them.', '--version', '1.2.3', '--name', 'holdfast-app'],
  [
    '--maintainer',
    'Anna <anna@example.org>',
    '--vendor',
    'Anna',
    '--url',
    'https://example.org',
    '--category',
    'utils',
  ],
  ['--deb-priority', 'optional', '--license', 'Apache-2.0'],
].flat();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-fpm-test-'));
  mkdirSync(join(folder, 'program/parts'), { recursive: true });
  writeFileSync(join(folder, 'program/run'), '#!/bin/sh\n', { mode: 0o700 });
  writeFileSync(join(folder, 'program/parts/süß 100%.txt'), 'text', { mode: 0o600 });
  symlinkSync('run', join(folder, 'program/link'));
  for (const name of ['install', 'remove']) writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$1" 100%\n`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const DEPENDENCIES = {
  deb: ['-d', 'libnss3', '-d', 'libgtk-3-0 | libgtk-3-0t64', '--deb-recommends', 'libsecret-1-0'],
  rpm: ['-d', 'nss', '-d', '(libXtst or libXtst6)', '--rpm-os', 'linux'],
} as const;

function build(kind: 'deb' | 'rpm', name: string, description?: string): string {
  const file = join(folder, name);
  const words = WORDS.map((word) =>
    word === 'deb' ? kind : word === '--deb-compression' ? `--${kind}-compression` : word,
  );
  const scripts = ['--after-install', join(folder, 'install'), '--after-remove', join(folder, 'remove')];
  execFileSync(
    process.execPath,
    [PROGRAM, ...words, ...scripts, '--package', file, ...DEPENDENCIES[kind], `${folder}/program/=/opt/Program`],
    {
      env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000', HOLDFAST_PACKAGE_DESCRIPTION: description },
      stdio: 'pipe',
    },
  );
  return file;
}

describe('the stand-in for fpm', () => {
  test.skipIf(!has('dpkg-deb'))('builds a package that dpkg reads, owned by root, the same bytes each time', () => {
    const file = build('deb', 'one.deb');
    const field = (name: string): string => execFileSync('dpkg-deb', ['-f', file, name], { encoding: 'utf8' }).trim();
    expect([field('Package'), field('Version'), field('Architecture')]).toEqual(['holdfast-app', '1.2.3', 'amd64']);
    expect(field('Depends')).toBe('libnss3, libgtk-3-0 | libgtk-3-0t64');
    expect(field('Description')).toBe('Backs up folders\n And restores them.');
    const long = `${'word '.repeat(20)}end.\nAnother paragraph.`;
    const described = build('deb', 'described.deb', long);
    expect(execFileSync('dpkg-deb', ['-f', described, 'Description'], { encoding: 'utf8' })).toBe(
      `Backs up folders\n ${'word '.repeat(14)}word\n ${'word '.repeat(5)}end.\n .\n Another paragraph.\n`,
    );
    const listed = execFileSync('dpkg-deb', ['-c', file], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \.\/opt\/Program\/run$/m);
    expect(listed).toMatch(/^-rw-r--r-- root\/root .*süß 100%\.txt$/m);
    expect(listed).toMatch(/^l.* \.\/opt\/Program\/link -> run$/m);
    const control = join(folder, 'control');
    execFileSync('dpkg-deb', ['-e', file, control]);
    expect(execFileSync('sh', [join(control, 'postrm'), 'purge'], { encoding: 'utf8' })).toBe('remove purge 100%\n');
    expect(statSync(join(control, 'postinst')).mode & 0o777).toBe(0o755);
    const mask = process.umask(0o077);
    try {
      execFileSync('cmp', [file, build('deb', 'two.deb')]);
    } finally {
      process.umask(mask);
    }
  });

  test.skipIf(!has('rpmbuild'))('builds a package that rpm reads', () => {
    const file = build('rpm', 'one.rpm');
    const query = (...words: readonly string[]): string =>
      execFileSync('rpm', ['-qp', '--nosignature', ...words, file], { encoding: 'utf8' });
    expect(query('--queryformat', '%{NAME} %{VERSION} %{ARCH} %{SUMMARY}')).toBe(
      'holdfast-app 1.2.3 x86_64 Backs up folders',
    );
    expect(query('--list').trim().split('\n').sort()).toEqual(
      // A folder that no package owns stays when the package is removed.
      [
        '/opt/Program',
        '/opt/Program/link',
        '/opt/Program/parts',
        '/opt/Program/parts/süß 100%.txt',
        '/opt/Program/run',
      ].sort(),
    );
    expect(query('--requires')).toMatch(/^nss$/m);
    expect(query('--requires')).toMatch(/^\(libXtst or libXtst6\)$/m);
    expect(query('--scripts')).toContain('echo remove "$1" 100%');
    const mask = process.umask(0o077);
    try {
      execFileSync('cmp', [file, build('rpm', 'two.rpm')]);
    } finally {
      process.umask(mask);
    }
  });

  test('refuses an option that it would have to ignore', () => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...WORDS, '--deb-systemd', 'a.service'], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('--deb-systemd');
  });

  test('refuses another kind of package', () => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '-s', 'dir', '-t', 'pacman'], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, 'only a deb or rpm of a folder can be built without fpm\n']);
  });

  test('builds the packages also where fpm is installed', () => {
    writeFileSync(join(folder, 'fpm'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    vi.stubEnv('CUSTOM_FPM_PATH', '');
    const parts = join(folder, 'parts');
    mkdirSync(parts);
    const program = fpmProgram(dirname(dirname(dirname(import.meta.dirname))), parts);
    expect(readFileSync(program, 'utf8')).toContain(PROGRAM);
    vi.stubEnv('CUSTOM_FPM_PATH', '/opt/fpm');
    expect(fpmProgram(dirname(dirname(dirname(import.meta.dirname))), parts)).toBe('/opt/fpm');
  });
});
