import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WarmProcess, type WarmEnd } from '../../../helpers/warm-program/warm-process.ts';

/** A program whose first word names what it does. Each ends like Holdfast's main module, with `process.exit`. */
const PROGRAM = `
const fs = require('node:fs');
const exit = (code) => process.stdout.write('', () => process.exit(code));
const acts = {
  ok: () => { console.log('out'); console.error('error'); exit(0); },
  code: () => exit(3),
  large: () => { process.stdout.write('é'.repeat(300000)); process.stderr.write('x'.repeat(300000)); exit(0); },
  facts: () => {
    process.umask(0o077);
    const later = fs.readFileSync(0, 'utf8');
    console.log(JSON.stringify([process.argv.slice(2), process.cwd(), process.env, process.umask(), later,
      process.stdin.isTTY, process.stdout.isTTY, process.exitCode, new Date(0).getHours(), process.execArgv]));
    exit(0);
  },
  child: () => {
    require('node:child_process').spawn('sh', ['-c', 'umask; echo child; echo error >&2'], { stdio: 'inherit' }).on('close', () => exit(0));
  },
  thread: async () => {
    const { Worker } = require('node:worker_threads');
    const worker = new Worker("console.log('thread ' + process.env.NAMED)", { eval: true });
    worker.on('exit', () => exit(0));
  },
  throws: () => { throw new Error('planted'); },
  rejects: () => { Promise.reject(new Error('planted')); setTimeout(() => exit(0), 10000); },
  empty: () => { process.exitCode = 1; },
  kill: () => process.kill(process.pid, 'SIGKILL'),
  code_set: () => { process.exitCode = 4; process.stdout.write('', () => process.exit()); },
  file: () => { fs.openSync(process.env.LOCK, 'w'); exit(0); },
  listener: () => { process.on('exit', () => fs.writeFileSync(process.env.LOCK, 'ended')); exit(0); },
  signal: () => { process.on('SIGTERM', () => undefined); exit(0); },
  timer: () => { setInterval(() => undefined, 1000); exit(0); },
  server: () => require('node:net').createServer().listen(0, () => exit(0)),
  worker: () => {
    const { Worker } = require('node:worker_threads');
    const worker = new Worker('setInterval(() => undefined, 1000)', { eval: true });
    worker.on('online', () => { worker.unref(); exit(0); });
  },
  priority: () => { require('node:os').setPriority(19); exit(0); },
  cwd: () => { process.cwd = () => '/'; exit(0); },
  pooled: () => {
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(require('node:url').pathToFileURL(__dirname + '/worker.cjs'));
    const end = () => worker.postMessage('end');
    worker.on('message', (message) => {
      if (message === 'loaded') {
        worker.postMessage({ kind: 'call', name: process.argv[3] });
        if (process.argv[3] === 'silent') end();
      } else {
        console.log(message.value);
        end();
      }
    });
    worker.on('exit', () => exit(0));
  },
};
process.umask(0o027);
process.stdout.on('error', () => process.exit(1));
acts[process.argv[2]]();
`;

/** A thread of a pool, which has a number and tells it with the name in its environment. */
const THREAD = `
const { parentPort, threadId } = require('node:worker_threads');
parentPort.postMessage('loaded');
parentPort.on('message', (message) => {
  if (message === 'end') return parentPort.close();
  if (message.name === 'silent') return;
  if (message.name === 'file') require('node:fs').openSync(process.env.LOCK, 'w');
  parentPort.postMessage({ kind: 'value', value: threadId + ' ' + process.env.NAMED });
});
`;

type Ended = Omit<WarmEnd, 'left'>;

let folder: string;
let main: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-warm-test-'));
  main = join(folder, 'main.cjs');
  writeFileSync(main, PROGRAM);
  writeFileSync(join(folder, 'worker.cjs'), THREAD);
});
afterAll(() => rmSync(folder, { recursive: true }));

function newProcess(): WarmProcess {
  const warm = new WarmProcess(main, { PATH: process.env['PATH'] ?? '', TZ: 'Asia/Tokyo', GONE: 'yes' }, folder);
  onTestFinished(() => warm.end());
  return warm;
}

function commandOf(name: string) {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  const PATH = process.env['PATH'] ?? '';
  return {
    words: [name, 'a b', ''],
    environment: { PATH, TZ: 'Europe/Berlin', NAMED: name, LOCK: join(place, 'lock') },
    folder: place,
  };
}

/** Runs the command in a process of its own. */
async function real({ words, environment, folder: cwd }: ReturnType<typeof commandOf>): Promise<Ended> {
  const options = { env: environment, cwd, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  const child = spawn(process.execPath, [main, ...words], options);
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return { status, signal, stdout, stderr };
}

/** Without lines of stacks and the options of Node, in which the two differ. */
function comparable({ status, signal, stdout, stderr }: Ended): Ended {
  const plain = stderr.replaceAll(/^ {4}at .*\n/gm, '');
  return { status, signal, stdout: stdout.replace(/,\[[^[\]]*\]\]\n$/, ']\n'), stderr: plain };
}

describe('a command in a warm process', () => {
  test.each(['ok', 'code', 'large', 'facts', 'child', 'thread', 'code_set'])(
    'ends as in a new process, and leaves nothing: %s',
    async (name) => {
      const warm = newProcess();
      const expected = comparable(await real(commandOf(name)));
      for (let time = 0; time < 2; time += 1) {
        const ended = await warm.run(commandOf(name));
        expect(comparable(ended)).toEqual(expected);
        expect(ended.left).toEqual([]);
        expect(warm.isUsable).toBe(true);
      }
    },
  );

  test.each(['throws', 'rejects', 'empty', 'kill'])(
    'ends the process as it ends a new one, after another command: %s',
    async (name) => {
      const warm = newProcess();
      await warm.run(commandOf('ok'));
      const ended = await warm.run(commandOf(name));
      expect(comparable(ended)).toEqual(comparable(await real(commandOf(name))));
      expect(ended.status).not.toBe(0);
      expect(warm.isUsable).toBe(false);
    },
  );

  test.each([
    ['file', join('file', 'lock')],
    ['listener', 'listener of exit'],
    ['signal', 'listener of SIGTERM'],
    ['timer', 'Timeout'],
    ['server', 'socket'],
    ['worker', 'thread with priority'],
    ['priority', 'priority 19'],
    ['cwd', 'process.cwd'],
  ])('that leaves something behind ends the process with its exit code: %s', async (name, what) => {
    const warm = newProcess();
    await warm.run(commandOf('ok'));
    const ended = await warm.run(commandOf(name));
    expect(comparable(ended)).toEqual(comparable(await real(commandOf(name))));
    expect(ended.left.join('\n')).toContain(what);
    expect(warm.isUsable).toBe(false);
    if (name === 'listener') expect(existsSync(commandOf(name).environment.LOCK)).toBe(true);
  });

  test('gets the environment, the folder and the umask of its own start', async () => {
    const warm = newProcess();
    await warm.run(commandOf('ok'));
    const { stdout } = await warm.run(commandOf('facts'));
    const [words, place, environment, umask, input, , , , hours] = JSON.parse(stdout) as readonly unknown[];
    const command = commandOf('facts');
    expect(words).toEqual(command.words);
    expect(place).toBe(command.folder);
    expect(environment).toEqual(command.environment);
    expect([umask, input, hours]).toEqual([0o077, '', 1]);
  });

  describe('that uses the threads of the pool', () => {
    /** Returns the number of the thread and the name in its environment. */
    async function pooled(warm: WarmProcess, name = 'pooled', act = ''): Promise<readonly string[]> {
      const command = commandOf(name);
      const { stdout, stderr, status, left } = await warm.run({ ...command, words: ['pooled', act] });
      expect({ status, stderr, left }).toEqual({ status: 0, stderr: '', left: [] });
      expect(warm.isUsable).toBe(true);
      return stdout.trim().split(' ');
    }

    test('uses those of the command before it, if they have its environment', async () => {
      const warm = newProcess();
      const first = await pooled(warm);
      expect(await pooled(warm)).toEqual(first);
      expect(await pooled(warm)).toEqual(first);
      const other = await pooled(warm, 'other');
      expect(other[0]).not.toBe(first[0]);
      expect(other[1]).toBe('other');
    });

    test.each(['silent', 'file'])('uses none that would have ended with its files and calls: %s', async (act) => {
      const warm = newProcess();
      const [first] = await pooled(warm);
      await pooled(warm, 'pooled', act);
      expect((await pooled(warm))[0]).not.toBe(first);
    });
  });
});
