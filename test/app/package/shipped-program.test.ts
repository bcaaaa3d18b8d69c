import { execFileSync, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ELECTRON } from '../electron-fixture.ts';
import { toolsFolder } from '../../../scripts/package/tools.ts';
import { Screen } from '../screen.ts';
import { BUILD_PATIENCE_MS, buildProgram, end, Person } from './program-folder.ts';

const root = dirname(dirname(dirname(import.meta.dirname)));
const TOOLS = join(toolsFolder(root), 'node_modules');
const HAS_MOUSE = spawnSync('which', ['xdotool']).status === 0;

describe.skipIf(!ELECTRON || !HAS_MOUSE)('the program as it is shipped', () => {
  let folder: string;
  let program: string;
  let screen: Screen;
  let person: Person;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-shipped-'));
    chmodSync(folder, 0o755);
    program = await buildProgram(join(folder, 'packages'));
    screen = await Screen.start();
    person = new Person();
  }, BUILD_PATIENCE_MS);
  afterEach(async () => {
    for (const child of started.splice(0)) await end(child);
  });
  afterAll(async () => {
    person?.[Symbol.dispose]();
    await screen?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts the app and waits for its window. Returns what it has printed until then. */
  async function open(
    environment: NodeJS.ProcessEnv,
    ...words: readonly string[]
  ): Promise<{ child: ChildProcess; output: () => string }> {
    const child = person.start(screen.display, environment, join(program, 'holdfast-app'), '--disable-gpu', ...words);
    started.push(child);
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => output.push(String(text)));
    await expect
      .poll(() => [child.exitCode, windowTitles(screen.display)], { timeout: 60_000 })
      .toEqual([null, expect.arrayContaining([expect.stringContaining('Holdfast')])]);
    return { child, output: () => output.join('') };
  }

  test('has its fuses set', () => {
    const fuses = join(TOOLS, '@electron/fuses/dist/bin.js');
    const listed = execFileSync(process.execPath, [fuses, 'read', '--app', join(program, 'holdfast-app')], {
      encoding: 'utf8',
    });
    const plain = stripVTControlCharacters(listed);
    for (const fuse of [
      'RunAsNode',
      'EnableNodeOptionsEnvironmentVariable',
      'EnableNodeCliInspectArguments',
      'GrantFileProtocolExtraPrivileges',
    ]) {
      expect(plain).toMatch(new RegExp(`${fuse} is Disabled`));
    }
    for (const fuse of ['EnableCookieEncryption', 'EnableEmbeddedAsarIntegrityValidation', 'OnlyLoadAppFromAsar']) {
      expect(plain).toMatch(new RegExp(`${fuse} is Enabled`));
    }
  });

  test('opens its window for an ordinary user, in a sandbox, without a port for others', async () => {
    const { child, output } = await open({}, '--inspect=0', '--remote-debugging-port=0');
    expect(output()).not.toContain('Debugger listening');
    expect(output()).not.toContain('DevTools listening');
    const renderers = processesOf(program).filter(({ words }) => words.includes('--type=renderer'));
    expect(renderers.length).toBeGreaterThan(0);
    for (const { status } of renderers) expect(status).toMatch(/^Seccomp:\t2$/m);
    expect(child.exitCode).toBeNull();
  });

  test('runs nothing for whoever sets a variable', async () => {
    const trap = join(person.folder, 'trap.cjs');
    writeFileSync(trap, `require('node:fs').writeFileSync(${JSON.stringify(join(person.folder, 'trapped'))}, '');`);
    await open({ ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: `--require=${trap}` }, trap);
    expect(readdirSync(person.folder)).not.toContain('trapped');
  });

  test('is the command line, too: backs up and restores without a screen', () => {
    const files = join(person.folder, 'files');
    mkdirSync(join(files, 'deep'), { recursive: true });
    for (let number = 0; number < 200; number++)
      writeFileSync(join(files, `deep/${number}.txt`), `${number}\n`.repeat(number * 50));
    // Its native module is in the package, too.
    const NOTE = ['-c', 'import os, sys; print(os.getxattr(sys.argv[1], "user.note").decode())'];
    execFileSync('python3', [
      '-c',
      'import os, sys; os.setxattr(sys.argv[1], "user.note", b"kept")',
      join(files, 'deep/1.txt'),
    ]);
    mkdirSync(join(person.folder, 'disk'));
    person.own(join(person.folder, 'disk'));
    const holdfast = (...words: readonly string[]): ReturnType<Person['run']> =>
      person.run({ HOLDFAST_HOME: join(person.folder, 'cli-home') }, join(program, 'resources/holdfast'), ...words);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(holdfast('--version')).toEqual({ status: 0, output: `${version}\n` });
    expect(holdfast('no-such-command').status).toBe(2);
    expect(holdfast('setup', '--destination', join(person.folder, 'disk/backups'))).toMatchObject({ status: 0 });
    expect(holdfast('set', 'add', 'files', files)).toMatchObject({ status: 0 });
    expect(holdfast('backup', 'files')).toMatchObject({ status: 0 });
    const restored = join(person.folder, 'disk/restored');
    expect(holdfast('restore', 'files', '--to', restored)).toMatchObject({ status: 0 });
    expect(spawnSync('diff', ['-r', files, join(restored, 'files')]).status).toBe(0);
    expect(execFileSync('python3', [...NOTE, join(restored, 'files/deep/1.txt')], { encoding: 'utf8' })).toBe('kept\n');
    // What is neither the person's nor a cache would stay for ever: a package removes nothing from a home.
    expect(readdirSync(person.folder)).not.toContain('.config');
    expect(readdirSync(join(person.folder, '.cache/holdfast'))).toContain('chromium');
    // An address is no reason for Chromium to take the words after it for its own.
    expect(
      holdfast('setup', '--destination', 's3://bucket/x', '--endpoint', 'https://127.0.0.1:1', '--json').output,
    ).toContain('{');
  });
});

function windowTitles(display: string): readonly string[] {
  const { stdout } = spawnSync('xdotool', ['search', '--onlyvisible', '--name', '.', 'getwindowname', '%@'], {
    encoding: 'utf8',
    env: { ...process.env, DISPLAY: display },
  });
  return stdout.trim().split('\n');
}

/** The running processes of a program folder. */
function processesOf(program: string): readonly { readonly words: readonly string[]; readonly status: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        const words = readFileSync(`/proc/${id}/cmdline`, 'utf8').split(/[\0 ]/);
        return words[0]?.startsWith(program) === true
          ? [{ words, status: readFileSync(`/proc/${id}/status`, 'utf8') }]
          : [];
      } catch {
        // It has ended.
        return [];
      }
    });
}
