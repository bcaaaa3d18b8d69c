import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { HAS_FUSE, isMounted, untilMounted } from '../../helpers/mount.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { oddTree } from '../../helpers/tree/odd-tree.ts';
import { Workplace, type Ended, type Running } from './workplace.ts';

const AS_NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
const AS_DAEMON = ['setpriv', '--reuid', '1', '--regid', '1', '--clear-groups'];

/** Returns whether an ordinary user can run the checkout's program, as this process if it is root, and may open the device of FUSE. */
function canMountAsNobody(): boolean {
  if (process.geteuid?.() !== 0) return false;
  const program = join(import.meta.dirname, '../../../bin/holdfast');
  const succeeds = (...words: readonly string[]): boolean =>
    spawnSync('setpriv', [...AS_NOBODY.slice(1), ...words]).status === 0;
  return succeeds('test', '-r', '/dev/fuse', '-a', '-w', '/dev/fuse') && succeeds(program, '--version');
}

/** Returns whether this process may mount file systems. */
function canMount(): boolean {
  return HAS_FUSE && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
}

let place: Workplace;
let docs: string;
let mnt: string;
const large = randomBytes(12 * 2 ** 20 + 17);
const mounts: Running[] = [];

// One set for all: only the last tests change it.
beforeAll(async () => {
  if (!HAS_FUSE) return;
  place = new Workplace({ isReal: true });
  docs = place.path('own', 'docs');
  mnt = place.path('mnt');
  mkdirSync(mnt);
  await buildTree(docs, oddTree(docs));
  writeFileSync(join(docs, 'large'), large);
  for (let index = 0; index < 6; index += 1) writeFileSync(join(docs, `f${index}`), randomBytes(2 ** 20 + 5));
  writeFileSync(join(docs, 'a'), 'a');
  await place.setUp();
  await place.addSet('docs', docs);
  await place.run('backup', 'docs');
});
afterEach(async () => {
  for (const { child, ended } of mounts.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  spawnSync('fusermount3', ['-u', '-z', mnt], { stdio: 'ignore' });
});
afterAll(() => place?.[Symbol.dispose]());

async function mount(...words: readonly string[]): Promise<Running> {
  const running = place.start(['mount', ...words, mnt]);
  mounts.push(running);
  await untilMounted(running);
  return running;
}

/** Reading a mount of a process that this one waits for would block both: a program reads. */
function read(...names: readonly string[]): Buffer {
  return execFileSync('cat', [join(mnt, ...names)], { maxBuffer: 2 ** 24 });
}

function namesIn(...names: readonly string[]): readonly string[] {
  return execFileSync('ls', ['-A', join(mnt, ...names)], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

describe.skipIf(!HAS_FUSE)('holdfast mount (fuse3, scripts/install-test-tools.sh)', () => {
  test('shows the same files, attributes and links as the source', async () => {
    const running = await mount('docs');
    const own = join(mnt, 'latest', 'docs');
    expect(await compareTrees(docs, own, { withoutSpecial: true })).toEqual([]);
    // Again, from what the kernel keeps.
    expect(await compareTrees(docs, own, { withoutSpecial: true })).toEqual([]);
    expect(spawnSync('touch', [join(own, 'new')], { encoding: 'utf8' }).stderr).toContain('Read-only file system');
    const mounted = readFileSync('/proc/mounts', 'utf8').split('\n');
    const line = mounted.find((each) => each.includes(` ${mnt} `));
    expect(line).toMatch(/^holdfast-[0-9a-f]{12} .* fuse\.holdfast ro,nosuid,nodev,noexec,.*default_permissions/);
    expect(line).not.toContain('allow_other');
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ status: 0, signal: null });
    expect(isMounted(mnt)).toBe(false);
  });

  test('shows each computer with its own files, whatever their names are', async () => {
    const own = async (home: string, ...words: readonly string[]): Promise<string> =>
      (await place.runAt(place.path(home), words)).stdout;
    const at = ['setup', '--destination', place.path('shared'), '--device-name'];
    const { recovery_phrase: phrase } = JSON.parse(await own('one', ...at, 'a', '--json')) as {
      recovery_phrase: string;
    };
    const words = ['--recovery-phrase-file', place.write('phrase', phrase)];
    await own('two', ...at, 'a/b', ...words);
    await own('three', ...at, 'a', ...words);
    for (const [home, set] of [
      ['one', 'b/c'],
      ['two', 'c'],
      ['three', 'b/c'],
    ] as const) {
      mkdirSync(place.path(`of-${home}`));
      writeFileSync(place.path(`of-${home}`, 'f'), home);
      await own(home, 'set', 'add', set, place.path(`of-${home}`));
      await own(home, 'backup', set);
    }
    const running = place.start(['mount', mnt], place.path('one'));
    mounts.push(running);
    await untilMounted(running);
    expect(namesIn().toSorted()).toEqual(['a', 'a (2)', 'a_b']);
    const contents = ['a/b_c', 'a (2)/b_c', 'a_b/c'].map((folder) => {
      const [root] = namesIn(folder, 'latest');
      return String(read(folder, 'latest', root!, 'f'));
    });
    expect(contents.slice(0, 2).toSorted()).toEqual(['one', 'three']);
    expect(contents[2]).toBe('two');
  });

  test('says that it is in use, and ends when it no longer is', async () => {
    const running = await mount('docs');
    const file = openSync(join(mnt, 'latest', 'docs', 'a'), 'r');
    let said = '';
    running.child.stderr!.on('data', (text: Buffer) => (said += String(text)));
    running.child.kill('SIGINT');
    await vi.waitFor(() => expect(said).toContain('is in use'), 60_000);
    expect(isMounted(mnt)).toBe(true);
    closeSync(file);
    const { status, stderr } = await running.ended;
    expect(status).toBe(0);
    expect(stderr).toContain('is in use');
    expect(isMounted(mnt)).toBe(false);
  });

  test('ends when somebody else unmounts it, and after a second interruption', async () => {
    const first = await mount('docs');
    execFileSync('fusermount3', ['-u', mnt]);
    expect(await first.ended).toMatchObject({ status: 0 });
    const second = await mount('docs');
    const file = openSync(join(mnt, 'latest', 'docs', 'a'), 'r');
    const said = once(second.child.stderr!, 'data');
    second.child.kill('SIGINT');
    await said;
    second.child.kill('SIGINT');
    expect(await second.ended).toMatchObject({ status: 130 });
    await vi.waitFor(() => expect(isMounted(mnt)).toBe(false), 60_000);
    // The file system that it belongs to has ended.
    expect(() => closeSync(file)).toThrow('ENOTCONN');
  });

  test('writes one object with --json, also when it is interrupted twice', async () => {
    const running = await mount('docs', '--json');
    const file = openSync(join(mnt, 'latest', 'docs', 'a'), 'r');
    running.child.kill('SIGINT');
    // It is in use.
    await sleep(500);
    running.child.kill('SIGINT');
    const { status, stdout } = await running.ended;
    expect(status).toBe(130);
    expect(JSON.parse(stdout)).toEqual({ mountpoint: mnt });
    expect(() => closeSync(file)).toThrow('ENOTCONN');
  });

  test('can be mounted again after it was killed', async () => {
    const killed = await mount('docs');
    killed.child.kill('SIGKILL');
    await killed.ended;
    await vi.waitFor(() => expect(isMounted(mnt)).toBe(false), 60_000);
    await mount('docs');
    expect(String(read('latest', 'docs', 'a'))).toBe('a');
  });

  test('is at the folder that a link leads to, whatever happens to the link', async () => {
    const link = place.path('link');
    symlinkSync(mnt, link);
    const running = place.start(['mount', 'docs', link]);
    mounts.push(running);
    await untilMounted(running);
    expect(String(read('latest', 'docs', 'a'))).toBe('a');
    rmSync(link);
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ status: 0 });
    expect(isMounted(mnt)).toBe(false);
  });

  test('ends where it is when a folder above it was moved', async () => {
    const [before, after] = [place.path('before'), place.path('busy')] as const;
    mkdirSync(join(before, 'mnt'), { recursive: true });
    const running = place.start(['mount', 'docs', join(before, 'mnt')]);
    mounts.push(running);
    await untilMounted(running);
    renameSync(before, after);
    running.child.kill('SIGINT');
    const ended = await running.ended;
    const isLeft = isMounted(join(after, 'mnt'));
    if (isLeft) spawnSync('fusermount3', ['-u', '-z', join(after, 'mnt')]);
    expect({ isLeft, status: ended.status }).toEqual({ isLeft: false, status: 0 });
  });

  test('is unmounted when it is killed after a folder above it was moved, whatever its name', async () => {
    const [before, after] = [place.path('here'), place.path('50% \\ moved\n')] as const;
    mkdirSync(join(before, 'mnt'), { recursive: true });
    const running = place.start(['mount', 'docs', join(before, 'mnt')]);
    mounts.push(running);
    await untilMounted(running);
    const guards = childrenOf(running.child.pid!);
    renameSync(before, after);
    running.child.kill('SIGKILL');
    await running.ended;
    await untilEnded(guards);
    const left = spawnSync('fusermount3', ['-u', '-z', join(after, 'mnt')]).status === 0;
    expect(left).toBe(false);
  });

  test.skipIf(!canMount())('leaves what somebody else has mounted in its place alone', async () => {
    const stopped = await mount('docs');
    const guards = childrenOf(stopped.child.pid!);
    stopped.child.kill('SIGSTOP');
    execFileSync('umount', ['-l', mnt]);
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', mnt]);
    writeFileSync(join(mnt, 'theirs'), '');
    stopped.child.kill('SIGKILL');
    await stopped.ended;
    await untilEnded(guards);
    const left = readdirSync(mnt);
    spawnSync('umount', [mnt]);
    expect(left).toEqual(['theirs']);
  });

  test.skipIf(!canMount())('waits for its end while somebody else has mounted something over it', async () => {
    const running = await mount('docs');
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', mnt]);
    writeFileSync(join(mnt, 'theirs'), '');
    const said = once(running.child.stderr!, 'data');
    running.child.kill('SIGINT');
    await said;
    const left = readdirSync(mnt);
    execFileSync('umount', [mnt]);
    expect(left).toEqual(['theirs']);
    expect(await running.ended).toMatchObject({ status: 0 });
    expect(isMounted(mnt)).toBe(false);
  });

  test.skipIf(!canMount())(
    'is unmounted after it was killed, once nothing is mounted over it or a folder above it',
    async () => {
      const above = place.path('above');
      const at = join(above, 'mnt');
      mkdirSync(at, { recursive: true });
      for (const covered of [at, above]) {
        const killed = place.start(['mount', 'docs', at]);
        mounts.push(killed);
        await untilMounted(killed);
        const guards = childrenOf(killed.child.pid!);
        execFileSync('mount', ['-t', 'tmpfs', 'theirs', covered]);
        writeFileSync(join(covered, 'theirs'), '');
        killed.child.kill('SIGKILL');
        await killed.ended;
        // Longer than it takes to look once.
        await new Promise((resolve) => setTimeout(resolve, 1500));
        const left = readdirSync(covered);
        execFileSync('umount', [covered]);
        await untilEnded(guards);
        expect({ left, isLeft: spawnSync('fusermount3', ['-u', '-z', at]).status === 0 }).toEqual({
          left: ['theirs'],
          isLeft: false,
        });
      }
    },
  );

  test('is unmounted when it is killed while it is being mounted', async () => {
    // A program that mounts only after its parent was killed, whose end it does not notice.
    const folder = place.path('slow');
    mkdirSync(folder);
    const real = execFileSync('sh', ['-c', 'command -v fusermount3'], { encoding: 'utf8' }).trim();
    const script = `#!/bin/sh
case " $* " in *" -u "*) exec ${real} "$@"; esac
echo $$ >${folder}/id
while kill -0 $PPID 2>/dev/null && [ "$(ps -o ppid= -p $$)" -eq $PPID ]; do sleep 0.1; done
sleep 1
exec python3 ${folder}/mount.py ${real} "$@"
`;
    writeFileSync(join(folder, 'fusermount3'), script, { mode: 0o755 });
    writeFileSync(
      join(folder, 'mount.py'),
      `
import os, socket, sys
ours, theirs = socket.socketpair()
os.set_inheritable(theirs.fileno(), True)
status = os.spawnve(os.P_WAIT, sys.argv[1], sys.argv[1:], {**os.environ, "_FUSE_COMMFD": str(theirs.fileno())})
open(${JSON.stringify(folder)} + "/status", "w").write(str(status))
`,
    );
    place.environment['PATH'] = `${folder}:${process.env['PATH']}`;
    const killed = place.start(['mount', 'docs', mnt]);
    delete place.environment['PATH'];
    mounts.push(killed);
    await vi.waitFor(() => expect(readFileSync(join(folder, 'id'), 'utf8')).toContain('\n'), 60_000);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await vi.waitFor(() => expect(readFileSync(join(folder, 'status'), 'utf8')).toBe('0'), 60_000);
    await vi.waitFor(() => expect(isMounted(mnt)).toBe(false), 60_000);
  });

  test.skipIf(!canMountAsNobody())(
    'of an ordinary user (who may open /dev/fuse) is for that user only, and is unmounted when it is killed',
    async () => {
      using own = new Workplace({ isReal: true });
      mkdirSync(own.path('files'));
      writeFileSync(own.path('files', 'a'), 'a');
      await own.setUp();
      await own.addSet('docs', own.path('files'));
      await own.run('backup', 'docs');
      const at = own.path('mnt');
      mkdirSync(at);
      execFileSync('chown', ['-R', '65534:65534', own.folder]);
      const readAs = (user: readonly string[]) =>
        spawnSync(user[0]!, [...user.slice(1), 'cat', join(at, 'latest/files/a')]);
      const killed = own.start(['mount', 'docs', at], own.home, AS_NOBODY);
      await untilMounted(killed);
      expect(String(readAs(AS_NOBODY).stdout)).toBe('a');
      for (const other of [['env'], AS_DAEMON]) expect(String(readAs(other).stderr)).toContain('Permission denied');
      killed.child.kill('SIGKILL');
      await killed.ended;
      await vi.waitFor(() => expect(isMounted(at)).toBe(false), 60_000);
      const again = own.start(['mount', 'docs', at], own.home, AS_NOBODY);
      await untilMounted(again);
      again.child.kill('SIGINT');
      expect(await again.ended).toMatchObject({ status: 0 });
      expect(isMounted(at)).toBe(false);
      if (!/^user_allow_other/m.test(readFileSync('/etc/fuse.conf', 'utf8'))) {
        const refused = own.start(['mount', '--allow-other', 'docs', at], own.home, AS_NOBODY);
        expect(await refused.ended).toMatchObject({
          status: 1,
          stderr: expect.stringContaining('to /etc/fuse.conf, or leave out'),
        });
      }
      execFileSync('chown', ['-R', '0:0', own.folder]);
    },
  );

  test('names a mount that was left behind, and how to remove it', async () => {
    const killed = await mount('docs');
    // Without the program that unmounts after the end of its parent.
    for (const child of childrenOf(killed.child.pid!)) process.kill(child, 'SIGKILL');
    killed.child.kill('SIGKILL');
    await killed.ended;
    const refused = await place.run('mount', 'docs', mnt, '--json');
    expect(refused.status).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { code: 'mount_failed', message: expect.stringContaining(`fusermount3 -u ${mnt}`) },
    });
    execFileSync('fusermount3', ['-u', mnt]);
    await mount('docs');
  });

  test('refuses a set that is unknown, and a folder that is missing or not empty', async () => {
    expect(await place.run('mount', 'photos', mnt)).toMatchObject({ status: 2 });
    expect(await place.run('mount', 'docs', place.path('none'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not a folder'),
    });
    // As a program passes a name with the bytes 6D FF to another.
    const odd = Buffer.from(`${place.path('m')}\xFF`, 'latin1');
    mkdirSync(odd);
    symlinkSync(odd, place.path('to-odd'));
    for (const name of [odd.toString(), place.path('to-odd')]) {
      expect(await place.run('mount', 'docs', name)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('has a name that is not UTF-8'),
      });
    }
    expect(await place.run('mount', 'docs', docs)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not empty'),
    });
    const empty = place.path('bin');
    mkdirSync(empty);
    for (const program of ['sh', 'dirname', 'readlink']) symlinkSync(join('/usr/bin', program), join(empty, program));
    place.environment['PATH'] = empty;
    const refused = await place.run('mount', 'docs', mnt);
    delete place.environment['PATH'];
    expect(refused.stderr).toContain('Install the package');
  });

  test('serves many readers at once', async () => {
    await mount('docs');
    const readers = Array.from({ length: 24 }, async (_, index) => {
      const names = [join(mnt, 'latest', 'docs'), docs].map((folder) => join(folder, `f${index % 6}`));
      const child = spawn('cmp', names, { stdio: 'ignore' });
      const [status] = (await once(child, 'close')) as [number];
      return status;
    });
    expect(await Promise.all(readers)).toEqual(readers.map(() => 0));
  });

  test('goes on when the destination is back', async () => {
    await mount('docs');
    expect(namesIn('latest', 'docs')).toContain('large');
    renameSync(place.destination, `${place.destination}-away`);
    expect(spawnSync('cat', [join(mnt, 'latest', 'docs', 'large')], { encoding: 'utf8' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Input/output error'),
    });
    renameSync(`${place.destination}-away`, place.destination);
    expect(read('latest', 'docs', 'large').equals(large)).toBe(true);
  });

  test('shows every restore point, also one that is made meanwhile', async () => {
    const running = await mount();
    const [computer] = namesIn();
    const [first] = namesIn(computer!, 'docs');
    expect(namesIn(computer!, 'docs')).toEqual([first, 'latest']);
    // The kernel keeps where a link led that was followed.
    expect(String(read(computer!, 'docs', 'latest', 'docs', 'a'))).toBe('a');
    writeFileSync(join(docs, 'a'), 'second');
    writeFileSync(join(docs, 'new'), 'new');
    const { restore_point: second } = await place.json<{ restore_point: string }>(['backup', 'docs']);
    await vi.waitFor(() => expect(namesIn(computer!, 'docs')).toEqual([first, second, 'latest']), 60_000);
    expect(String(read(computer!, 'docs', first!, 'docs', 'a'))).toBe('a');
    expect(String(read(computer!, 'docs', 'latest', 'docs', 'a'))).toBe('second');
    expect(namesIn(computer!, 'docs', first!, 'docs')).not.toContain('new');
    expect(readlinkSync(join(mnt, computer!, 'docs', 'latest'))).toBe(second);
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ status: 0 });
  });

  test('leads to the newest restore point at whichever destination it is', async () => {
    const home = place.path('of-several');
    const own = (...words: readonly string[]): Promise<Ended> => place.runAt(home, words);
    const folder = place.path('several');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a'), 'first');
    await own('setup', '--destination', place.path('one-of-several'));
    await own('destination', 'add', '--destination', place.path('other-of-several'), '--name', 'other');
    await own('set', 'add', 'several', folder);
    await own('backup', 'several');
    const running = place.start(['mount', mnt], home);
    mounts.push(running);
    await untilMounted(running);
    const [computer] = namesIn();
    const newest = (): string => String(read(computer!, 'several', 'latest', 'several', 'a'));
    expect(newest()).toBe('first');
    const [before] = namesIn(computer!, 'several');
    const file = openSync(join(mnt, computer!, 'several', before!, 'several', 'a'), 'r');
    writeFileSync(join(folder, 'a'), 'second');
    await own('backup', 'several', '--destination', 'other');
    await vi.waitFor(() => expect(newest()).toBe('second'), { timeout: 60_000, interval: 500 });
    // What was opened before stays what it was.
    expect(readFileSync(file, 'utf8')).toBe('first');
    closeSync(file);
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ status: 0 });
  });

  test('answers an error for the damaged part of a file only', async () => {
    damageMuch();
    await mount('docs');
    const { good, bad } = readPages(join(mnt, 'latest', 'docs', 'large'), large);
    expect(good + bad).toBe(13);
    expect(bad).toBeGreaterThanOrEqual(1);
    expect(good).toBeGreaterThanOrEqual(1);
  });
});

/** Overwrites a third of each large pack: the file of twelve of some twenty megabytes has chunks in it and outside. */
function damageMuch(): void {
  const packs = join(place.destination, 'packs');
  for (const name of readdirSync(packs, { recursive: true, encoding: 'utf8' })) {
    const path = join(packs, name);
    if (!statSync(path).isFile() || statSync(path).size < 2 ** 20) continue;
    const bytes = readFileSync(path);
    chmodSync(path, 0o600);
    writeFileSync(path, bytes.fill(0, Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.75)));
  }
}

/** Reads a file by its megabytes, and compares those that can be read. */
function readPages(file: string, content: Buffer): { readonly good: number; readonly bad: number } {
  const script = `
import os, sys
file = os.open(sys.argv[1], os.O_RDONLY)
expected = open(sys.argv[2], "rb").read()
good = bad = 0
for start in range(0, len(expected), 2**20):
    try:
        part = b""
        while len(part) < min(2**20, len(expected) - start):
            part += os.pread(file, 4096, start + len(part))
        assert part == expected[start:start + 2**20]
        good += 1
    except OSError as error:
        assert error.errno == 5, error
        bad += 1
print(good, bad)`;
  const expected = place.path('expected');
  writeFileSync(expected, content);
  const [good, bad] = execFileSync('python3', ['-c', script, file, expected], { encoding: 'utf8' })
    .split(' ')
    .map(Number);
  return { good: good!, bad: bad! };
}

/** Waits until no process runs any more. One that nobody waits for has no words then. */
async function untilEnded(processes: readonly number[]): Promise<void> {
  const runs = (process: number): boolean => {
    try {
      return readFileSync(`/proc/${process}/cmdline`).length > 0;
    } catch {
      return false;
    }
  };
  await vi.waitFor(() => expect(processes.filter(runs)).toEqual([]), 60_000);
}

function childrenOf(process: number): readonly number[] {
  const listed = spawnSync('ps', ['-o', 'pid=', '--ppid', String(process)], { encoding: 'utf8' }).stdout;
  const own = listed.split('\n').map(Number);
  return own.filter((id) => id > 0).flatMap((id) => childrenOf(id).concat(id));
}
