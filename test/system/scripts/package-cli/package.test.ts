import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addArchive } from '../../../../scripts/package-cli/build.ts';
import { targetOf } from '../../../../scripts/package-cli/target.ts';
import { VERSION } from '../../../../src/base/version.ts';

const ROOT = dirname(dirname(dirname(dirname(import.meta.dirname))));
/** `npm test` builds it. */
const isBuilt = process.platform === 'linux' && existsSync(join(ROOT, 'dist/current'));
/** An ordinary user, where the tests run as root. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** All programs of the person's computer; there is no Node. */
const TOOLS = 'sh dirname readlink';

/** A name that needs quotes in shells, and whose columns only a library can count. */
const SET = 'my 文書';

const ATTRIBUTED = '0015-bundle.md';

function python(code: string, file: string): string {
  return execFileSync('python3', ['-c', `import os, sys; ${code}`, file], { encoding: 'utf8' });
}

describe.skipIf(!isBuilt)('what is installed', () => {
  let place: string;
  let program: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'holdfast-installed-'));
    chmodSync(place, 0o755);
    program = join(place, 'opt/holdfast');
    const modules = join(ROOT, 'node_modules');
    addArchive(program, {
      root: ROOT,
      modules,
      version: VERSION,
      target: targetOf(process.arch),
      epoch: 1_700_000_000,
      level: 0,
    });
    const [tools, home] = [join(place, 'tools'), join(place, 'home')];
    for (const folder of [tools, home, join(place, 'data')]) mkdirSync(folder);
    for (const tool of TOOLS.split(' '))
      symlinkSync(execFileSync('which', [tool], { encoding: 'utf8' }).trim(), join(tools, tool));
    if (isRoot) for (const folder of [home, join(place, 'data')]) chownSync(folder, NOBODY, NOBODY);
    environment = { PATH: tools, HOME: home };
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

  function holdfast(...words: readonly string[]) {
    const options = { cwd: join(place, 'home'), env: environment, encoding: 'utf8', ...user } as const;
    const { status, stdout, stderr } = spawnSync(join(program, 'bin/holdfast'), words, options);
    // The backups of this test are on the disk of its home folder, which is said.
    expect(stderr).not.toMatch(/bug|warning(?!: \S+ is on the same disk)/i);
    expect(status).toBe(0);
    return stdout;
  }

  test('is started through its link without a Node on the PATH', () => {
    expect(holdfast('--version')).toBe(`${VERSION}\n`);
    expect(existsSync(join(place, 'home/.cache/holdfast'))).toBe(true);
  });

  test.each([
    ['en', 'Restore points'],
    ['de', 'Wiederherstellungspunkt'],
    ['fr', 'Point de restauration'],
    ['es', 'Punto de restauración'],
    ['ja', '復元ポイント'],
    ['ar', 'نقطة استعادة'],
  ])('has the texts of %s', (_language, words) => {
    const files = readdirSync(program, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.cjs'));
    expect(files.filter((file) => readFileSync(join(program, file), 'utf8').includes(words))).not.toEqual([]);
  });

  test('runs no code and takes no options that are meant for another Node', () => {
    mkdirSync(join(place, 'traps'), { mode: 0o777 });
    const trap = join(place, 'traps/trap.cjs');
    writeFileSync(trap, `require('node:fs').writeFileSync(${JSON.stringify(join(place, 'traps/trapped'))}, '');`);
    const before = environment;
    environment = {
      ...before,
      NODE_OPTIONS: `--require=${trap} --max-old-space-size=1`,
      NODE_PATH: join(place, 'traps'),
    };
    try {
      expect(holdfast('--version')).toBe(`${VERSION}\n`);
    } finally {
      environment = before;
    }
    expect(existsSync(join(place, 'traps/trapped'))).toBe(false);
  });

  test('backs up and restores as an ordinary user', () => {
    const source = join(place, 'home/documents');
    spawnSync('cp', ['-r', join(ROOT, 'docs/decisions'), source]);
    // Read and set by a native module that the package has to contain.
    python('os.setxattr(sys.argv[1], "user.note", b"kept")', join(source, ATTRIBUTED));
    if (isRoot) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, source]);
    holdfast('setup', '--destination', join(place, 'home/backups'));
    holdfast('set', 'add', SET, source);
    expect(holdfast('set', 'list', '--names')).toBe(`${SET}\n`);
    expect(holdfast('set', 'list')).toContain(`${SET}  manual`);
    expect(holdfast('destination', 'list', '--names')).not.toContain('NAME');
    const { warnings } = JSON.parse(holdfast('backup', SET, '--json')) as {
      readonly warnings: readonly unknown[];
    };
    expect(warnings).toEqual([]);
    holdfast('restore', SET, '--to', join(place, 'home/restored'));
    const difference = spawnSync('diff', ['-r', source, join(place, 'home/restored/documents')], { encoding: 'utf8' });
    expect(difference).toMatchObject({ status: 0, stdout: '' });
    const restored = join(place, 'home/restored/documents', ATTRIBUTED);
    expect(python('print(os.getxattr(sys.argv[1], "user.note").decode())', restored)).toBe('kept\n');
  });

  test('starts the service by the lines of its unit, with the portal', async () => {
    const unit = readFileSync(join(program, 'lib/systemd/system/holdfast.service'), 'utf8');
    const commandOf = (name: string): readonly string[] =>
      new RegExp(`^${name}=(.*)$`, 'm')
        .exec(unit)![1]!
        .replace('/opt/holdfast', program)
        .replace('/etc/holdfast/service.json', join(place, 'service.json'))
        .split(' ');
    const config = { data: join(place, 'data'), host: '127.0.0.1', port: 0 };
    writeFileSync(join(place, 'service.json'), JSON.stringify(config));
    const options = { cwd: join(place, 'data'), env: environment, ...user };
    const [check = '', ...checkWords] = commandOf('ExecStartPre');
    expect(spawnSync(check, checkWords, { ...options, encoding: 'utf8' })).toMatchObject({ status: 0 });
    const [start = '', ...words] = commandOf('ExecStart');
    const service = spawn(start, words, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string];
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      expect((await fetch(`${address}/readyz`)).status).toBe(200);
      expect(await (await fetch(`${address}/`)).text()).toContain('<html');
    } finally {
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
    expect(service.exitCode).toBe(0);
    expect(holdfast('service', '--help')).toContain('take-over');
  });

  test('is started with the limits of a checkout', () => {
    const lines = (file: string): readonly string[] =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => /^(?:ulimit|export|exec)/.test(line))
        .map((line) =>
          line.replace(/"\$(?:node|root\/bin\/node)"|"\$(?:program|root\/dist\/program\/main.cjs)"/g, '…'),
        );
    expect(lines(join(program, 'lib/holdfast/bin/holdfast'))).toEqual(lines(join(ROOT, 'bin/holdfast')));
  });

  test('contains no sources, no other systems, and the licence of every library', () => {
    const files = execFileSync('find', ['.', '-type', 'f', '-printf', '%P\n'], { cwd: program, encoding: 'utf8' })
      .trim()
      .split('\n');
    const binaries = files.filter((file) => file.endsWith('.node'));
    expect(binaries).toHaveLength(3);
    expect(files.filter((file) => /\.(?:ts|cc?|h|hh|map)$|musl|win32|darwin|agent\.sock/.test(file))).toEqual([]);
    const licences = readFileSync(join(program, 'lib/holdfast/THIRD-PARTY-LICENCES.txt'), 'utf8');
    expect(licences).toMatch(/^node-linux-\w+ 24\./m);
    expect(licences).not.toContain('licence in its text');
    const owned = execFileSync('find', ['.', '-not', '-type', 'l', '-perm', '/022'], {
      cwd: program,
      encoding: 'utf8',
    });
    expect(owned).toBe('');
  });
});
