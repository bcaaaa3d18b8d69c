import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { differences } from '../../helpers/differences.ts';
import { Workplace } from './workplace.ts';

let place: Workplace;
let docs: string;
beforeEach(async () => {
  place = new Workplace();
  docs = place.path('own', 'docs');
  mkdirSync(join(docs, 'letters'), { recursive: true });
  writeFileSync(join(docs, 'letters', 'a.txt'), 'first');
  writeFileSync(join(docs, 'large'), randomBytes(9 * 2 ** 20));
  await place.setUp();
  await place.addSet('docs', docs);
});
afterEach(() => place[Symbol.dispose]());

/** What tar and zip have in common. Times are even, as zip stores them. */
function furnish(): void {
  const long = 'x'.repeat(120);
  mkdirSync(join(docs, long, long), { recursive: true });
  writeFileSync(join(docs, long, long, `ünïcode ${long}`), 'long');
  writeFileSync(join(docs, '-rf'), '');
  chmodSync(join(docs, 'letters', 'a.txt'), 0o741);
  utimesSync(join(docs, 'letters', 'a.txt'), 1_700_000_000, 1_700_000_000);
  symlinkSync('a.txt', join(docs, 'letters', 'link'));
}

interface Failing {
  readonly failures: readonly { readonly path: string }[];
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;
}

describe('holdfast export', () => {
  test('writes a tar that GNU tar extracts to the same files', async () => {
    furnish();
    // unzip leaves the line break out.
    writeFileSync(join(docs, 'new\nline'), 'n');
    linkSync(join(docs, 'letters', 'a.txt'), join(docs, 'other name'));
    utimesSync(join(docs, 'large'), 1_700_000_000.5, 1_700_000_000.5);
    await place.json(['backup', 'docs']);
    const file = place.path('docs.tar');
    const report = await place.json(['export', 'docs', '--to', file]);
    expect(report).toMatchObject({ file, files: 6, failures_total: 0 });
    const target = place.path('target');
    mkdirSync(target);
    execFileSync('tar', ['-x', '-p', '-f', file, '-C', target]);
    expect(differences(docs, join(target, 'docs'), '--no-dereference')).toBe('');
    const [one, other] = ['letters/a.txt', 'other name'].map((name) => statSync(join(target, 'docs', name)));
    expect(one).toMatchObject({ mode: 0o100741, mtimeMs: 1_700_000_000_000, ino: other!.ino });
    expect(statSync(join(target, 'docs', 'large')).mtimeMs).toBe(1_700_000_000_500);
    expect(statSync(file).size % 10_240).toBe(0);
    const script = 'import sys, tarfile; print(len(tarfile.open(sys.argv[1]).getmembers()))';
    expect(Number(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }))).toBe(11);
  });

  test('writes fractions of seconds before 1970 into a tar', async () => {
    const early = [
      ['early', -1_893_455_999.5],
      ['last', -0.25],
      ['whole', -86_400],
    ] as const;
    for (const [name, time] of early) {
      writeFileSync(join(docs, name), name);
      // A negative number would be taken for now.
      utimesSync(join(docs, name), new Date(time * 1000), new Date(time * 1000));
    }
    await place.json(['backup', 'docs']);
    const file = place.path('docs.tar');
    expect(await place.json(['export', 'docs', '--to', file])).toMatchObject({ failures_total: 0 });
    const target = place.path('target');
    mkdirSync(target);
    execFileSync('tar', ['-x', '-f', file, '-C', target]);
    for (const [name, time] of early) expect(statSync(join(target, 'docs', name)).mtimeMs).toBe(time * 1000);
    const script =
      'import sys, tarfile; print([one.mtime for one in tarfile.open(sys.argv[1]) if one.name == "docs/early"])';
    expect(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' })).toBe('[-1893455999.5]\n');
  });

  test('fails when the reader of the standard output ends before the archive does', async () => {
    await place.json(['backup', 'docs']);
    const intoHead = ['bash', '-c', '"$0" "$@" | head -c 100 >/dev/null; exit "${PIPESTATUS[0]}"'];
    const words = ['export', 'docs', '--to', '-', '--format', 'tar'];
    const { status, stderr } = await place.start(words, place.home, intoHead).ended;
    expect(status).toBe(1);
    expect(stderr).toContain('its reader ended before the archive was complete');
  });

  test('says when the standard output is full', async () => {
    await place.json(['backup', 'docs']);
    const intoFull = ['bash', '-c', '"$0" "$@" >/dev/full'];
    const { status, stderr } = await place.start(['ls', 'docs', '--recursive'], place.home, intoFull).ended;
    expect(status).toBe(1);
    expect(stderr).toContain('ENOSPC');
  });

  test.skipIf(!isInstalled('unzip'))('writes a zip that unzip and Python extract to the same files', async () => {
    furnish();
    await place.json(['backup', 'docs']);
    const file = place.path('docs.zip');
    expect(await place.json(['export', 'docs', '--to', file])).toMatchObject({ files: 4, failures_total: 0 });
    execFileSync('unzip', ['-t', '-q', file]);
    const target = place.path('target');
    execFileSync('unzip', ['-q', file, '-d', target]);
    expect(differences(docs, join(target, 'docs'), '--no-dereference')).toBe('');
    const info = statSync(join(target, 'docs', 'letters', 'a.txt'));
    expect(info).toMatchObject({ mode: 0o100741, mtimeMs: 1_700_000_000_000 });
    const script = 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.namelist()))';
    expect(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }).trim()).toBe('None 9');
  });

  test.skipIf(process.platform === 'win32')('keeps names with a backslash in a tar; a zip names them', async () => {
    mkdirSync(join(docs, 'a'));
    writeFileSync(join(docs, 'a', 'b'), 'in a folder');
    writeFileSync(join(docs, 'a\\b'), 'with a backslash');
    writeFileSync(join(docs, 'end\\'), '');
    mkdirSync(join(docs, '..\\..'));
    writeFileSync(join(docs, '..\\..', 'c'), 'below');
    await place.json(['backup', 'docs']);
    expect(await place.json(['export', 'docs', '--to', place.path('docs.tar')])).toMatchObject({ failures_total: 0 });
    const report = await place.json<Failing>(['export', 'docs', '--to', place.path('docs.zip')], 3);
    expect(report.failures.map(({ path }) => path.slice(docs.length + 1)).toSorted()).toEqual(
      ['..\\..', '..\\../c', 'a\\b', 'end\\'].toSorted(),
    );
    const script = 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(*z.namelist(), z.read("docs/a/b"))';
    const names = execFileSync('python3', ['-c', script, place.path('docs.zip')], { encoding: 'utf8' }).trim();
    expect(names).toBe("docs/ docs/a/ docs/a/b docs/large docs/letters/ docs/letters/a.txt b'in a folder'");
  });

  test('a zip has files of times that it cannot state, and names those times', async () => {
    const before = new Date('1938-04-24T22:13:20Z');
    utimesSync(join(docs, 'large'), before, before);
    utimesSync(join(docs, 'letters', 'a.txt'), 4_000_000_000, 4_000_000_000);
    await place.json(['backup', 'docs']);
    const report = await place.json<Failing>(['export', 'docs', '--to', place.path('docs.zip')], 3);
    expect(report).toMatchObject({ files: 2, failures: [{ path: join(docs, 'large'), detail: 'ERANGE' }] });
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(*(i.date_time[0] for i in z.infolist() if not i.is_dir()), z.testzip())';
    const years = execFileSync('python3', ['-c', script, place.path('docs.zip')], { encoding: 'utf8' });
    expect(years.trim()).toBe('1980 2096 None');
  });

  test('prints nothing besides for a zip of many files', async () => {
    for (let index = 0; index < 30; index += 1) writeFileSync(join(docs, `many ${index}`), `file ${index}`);
    await place.json(['backup', 'docs']);
    const ended = await place.run('export', 'docs', '--to', place.path('many.zip'), '--json');
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(sum(not i.is_dir() for i in z.infolist()))';
    const count = Number(execFileSync('python3', ['-c', script, place.path('many.zip')], { encoding: 'utf8' }));
    expect((JSON.parse(ended.stdout) as { files: number }).files).toBe(count);
  });

  test.skipIf(process.getuid?.() !== 0)('leaves nothing on a disk that is full, and says so', async () => {
    await place.json(['backup', 'docs']);
    const disk = place.path('disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'holdfast-test', disk]);
    try {
      for (const format of ['tar', 'zip']) {
        const ended = await place.run('export', 'docs', '--to', join(disk, `docs.${format}`));
        expect(ended.status).toBe(1);
        expect(ended.stderr).toContain('space');
        expect(readdirSync(disk)).toEqual([]);
      }
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });

  test('writes one path to the standard output, and nothing else', async () => {
    await place.json(['backup', 'docs']);
    const words = ['export', 'docs', '--path', join(docs, 'letters'), '--format', 'tar', '--to', '-'];
    const ended = await place.run(...words);
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    const listed = execFileSync('tar', ['-t'], { input: Buffer.from(ended.stdout), encoding: 'utf8' });
    expect(listed.split('\n').filter(Boolean)).toEqual(['letters/', 'letters/a.txt']);
    expect((await place.run(...words, '--json')).status).toBe(2);
  });

  test('refuses a file that exists, and one without a format', async () => {
    await place.json(['backup', 'docs']);
    const file = place.write('mine.tar', 'mine');
    expect(await place.run('export', 'docs', '--to', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('exists already'),
    });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await place.run('export', 'docs', '--to', place.path('docs.rar'))).status).toBe(2);
    expect((await place.run('export', 'docs', '--to', place.path('none', 'docs.tar'))).status).toBe(1);
    expect(readdirSync(place.folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('writes a name as long as the file system takes, and names what it cannot write', async () => {
    await place.json(['backup', 'docs']);
    const longest = place.path(`${'n'.repeat(251)}.tar`);
    expect(await place.run('export', 'docs', '--to', longest)).toMatchObject({ status: 0 });
    expect(execFileSync('tar', ['-tf', longest], { encoding: 'utf8' })).toContain('letters/a.txt');
    const file = place.write('file', 'mine');
    for (const [to, code] of [
      [join(file, 'docs.tar'), 'ENOTDIR'],
      [place.path(`${'n'.repeat(252)}.tar`), 'ENAMETOOLONG'],
    ] as const) {
      const refused = await place.run('export', 'docs', '--to', to, '--json');
      expect(refused.status).toBe(1);
      expect(JSON.parse(refused.stdout)).toMatchObject({
        error: { code: 'target_unwritable', details: { target: to, reason: code } },
      });
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('names what is damaged, with exit status 3, and the archive has everything else', async () => {
    writeFileSync(join(docs, 'small'), randomBytes(300_000));
    await place.json(['backup', 'docs']);
    const packs = readdirSync(join(place.destination, 'packs'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(place.destination, 'packs', name))
      .filter((path) => statSync(path).size > 200_000);
    for (const pack of packs) {
      const bytes = readFileSync(pack);
      chmodSync(pack, 0o600);
      writeFileSync(pack, bytes.fill(0, 1000, bytes.length - 100_000));
    }
    for (const format of ['tar', 'zip']) {
      const file = place.path(`docs.${format}`);
      const report = await place.json<Failing>(['export', 'docs', '--to', file], 3);
      const damaged = new Set(report.failures.map(({ path }) => path));
      expect([...damaged]).toContain(join(docs, 'large'));
      expect(existsSync(file)).toBe(true);
      const target = place.path(format);
      mkdirSync(target);
      const script = 'import shutil, sys; shutil.unpack_archive(sys.argv[1], sys.argv[2])';
      execFileSync('python3', ['-c', script, file, target]);
      for (const name of ['letters/a.txt', 'small', 'large']) {
        if (damaged.has(join(docs, name))) continue;
        expect(readFileSync(join(target, 'docs', name)).equals(readFileSync(join(docs, name)))).toBe(true);
      }
    }
  });
});
