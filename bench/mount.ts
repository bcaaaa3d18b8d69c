/**
 * `bin/node bench/mount.ts`: restore points as folders beside `restic mount`, from the same data in the same run. Prints the times of
 * programs that list, look at and read what is mounted, and what the mounting process takes. The kernel keeps nothing between two
 * measurements: everything is mounted anew for each. Linux with fuse3, as root or as anybody who may mount.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { measure } from './compare/measure.ts';
import { median } from './compare/median.ts';
import { cpuSecondsOf, residentBytes } from './compare/process-tree.ts';
import { seededBytes, writeSeededFile } from './data-sets/seeded-bytes.ts';
import { printTable } from './report/console-rows.ts';
import { holdfast } from './tools/holdfast.ts';
import { restic } from './tools/restic.ts';
import type { Command, Store, Tool } from './tools/tool.ts';

const MIB = 2 ** 20;
const FILES_PER_FOLDER = 50;
const SAMPLE_MS = 20;

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '200000' },
    small: { type: 'string', default: '10000' },
    mib: { type: 'string', default: '1024' },
    rounds: { type: 'string', default: '3' },
  },
});
const [files, small, mib, rounds] = [values.files, values.small, values.mib, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
];

/** What a program does with the mounted source: `$1` is its folder. */
const STEPS: Readonly<Record<string, string>> = {
  [`ls -f of ${files} files`]: 'ls -f "$1/many"',
  [`ls -l of ${files} files`]: 'ls -l "$1/many"',
  'ls -l again': 'ls -l "$1/many" >/dev/null; echo measured >&3; ls -l "$1/many"',
  'find -size over everything': 'find "$1" -type f -size +1M',
  [`read a file of ${mib} MiB`]: 'cat "$1/large"',
  'read 1,000 random pages of it': `python3 -c '
import os, random, sys
random.seed(1)
file = os.open(sys.argv[1], os.O_RDONLY)
size = os.fstat(file).st_size
for _ in range(1000): os.pread(file, 4096, random.randrange(size))' "$1/large"`,
  '24 readers of 1/24 of it each': `seq 0 23 | xargs -P 24 -I N dd if="$1/large" bs=1M skip=N count=${Math.max(1, Math.floor(mib / 24))} status=none`,
  [`read ${small} small files`]: 'cat "$1"/small/*/*',
};

interface Mounting {
  readonly tool: Tool;
  readonly mount: (store: Store, mountpoint: string) => Command;
  /** Where the source is in the mount. */
  readonly inside: (source: string) => string;
}

const MOUNTINGS: readonly Mounting[] = [
  {
    tool: holdfast,
    mount: (store, mountpoint) => ({ ...store.backup(), args: ['mount', 'bench', mountpoint] }),
    inside: (source) => join('latest', basename(source)),
  },
  {
    tool: restic,
    mount: (store, mountpoint) => ({ ...store.backup(), program: 'restic', args: ['mount', mountpoint] }),
    inside: (source) => join('snapshots/latest', source),
  },
];

interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-mount-'));
const mounted = new Set<string>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const mountpoint of mounted) unmount(mountpoint);
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });
}
try {
  const source = join(folder, 'source');
  await writeSource(source);
  const taken = new Map<string, Taken[]>();
  const available = MOUNTINGS.filter(({ tool }) => tool.missing() === undefined);
  const stores = new Map<Mounting, Store>();
  for (const each of available) {
    const place = join(folder, each.tool.name);
    mkdirSync(place);
    const store = await each.tool.open(place, source);
    await measure(store.backup(), place);
    stores.set(each, store);
  }
  console.log(available.map(({ tool }) => tool.version()).join(', '));
  for (let round = 0; round < rounds; round += 1) {
    for (const step of Object.keys(STEPS)) {
      for (const [each, store] of stores) {
        const key = `${step}\n${each.tool.name}`;
        taken.set(key, [...(taken.get(key) ?? []), await take(step, each, store, source)]);
      }
    }
  }
  const rows = Object.keys(STEPS).map((step) => {
    const cells = available.map(({ tool }) => taken.get(`${step}\n${tool.name}`)!);
    const of = (fact: keyof Taken): number[] => cells.map((each) => median(each.map((one) => one[fact])));
    const [ours, theirs] = of('seconds');
    const ratio = theirs === undefined ? '–' : `${(theirs / ours!).toFixed(1)} ×`;
    const costs = of('cpuSeconds').map(seconds).concat(of('peakBytes').map(megabytes));
    return [step].concat(of('seconds').map(seconds), ratio, costs);
  });
  const names = available.map(({ tool }) => tool.label);
  const columns = ['', 'CPU ', 'memory '].map((fact) => names.map((name) => `${fact}${name}`));
  printTable(['', ...columns[0]!, 'ratio', ...columns[1]!, ...columns[2]!], rows);
} finally {
  for (const mountpoint of mounted) unmount(mountpoint);
  rmSync(folder, { recursive: true, force: true });
}

/** Leaves nothing mounted, also while a program reads it. */
function unmount(mountpoint: string): void {
  spawnSync('fusermount3', ['-u', '-z', mountpoint], { stdio: 'inherit' });
  mounted.delete(mountpoint);
}

/** Mounts, runs a program, and unmounts. */
async function take(step: string, { tool, mount, inside }: Mounting, store: Store, source: string): Promise<Taken> {
  const mountpoint = join(folder, `mounted-${tool.name}`);
  mkdirSync(mountpoint, { recursive: true });
  const { program, args, environment } = mount(store, mountpoint);
  mounted.add(mountpoint);
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const own = join(mountpoint, inside(source));
  while (spawnSync('ls', [own], { stdio: 'ignore' }).status !== 0) {
    if (child.exitCode !== null) throw new Error(`${program} ${args.join(' ')} ended with ${child.exitCode}`);
    await sleep(SAMPLE_MS);
  }
  const pid = child.pid!;
  let peakBytes = 0;
  const sampling = setInterval(() => (peakBytes = Math.max(peakBytes, residentBytes(pid))), SAMPLE_MS);
  let began = performance.now();
  let cpuBefore = cpuSecondsOf(pid);
  const running = spawn('sh', ['-c', STEPS[step]!, 'sh', own], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  // What comes before was to fill the kernel's caches.
  running.stdio[3]!.on('data', () => {
    began = performance.now();
    cpuBefore = cpuSecondsOf(pid);
  });
  const [status] = (await once(running, 'exit')) as [number];
  const taken = { seconds: (performance.now() - began) / 1000, cpuSeconds: cpuSecondsOf(pid) - cpuBefore, peakBytes };
  clearInterval(sampling);
  unmount(mountpoint);
  await ended;
  if (status !== 0) throw new Error(`${step} with ${tool.label} ended with ${status}`);
  return taken;
}

async function writeSource(source: string): Promise<void> {
  const next = seededBytes('mount');
  mkdirSync(join(source, 'many'), { recursive: true });
  for (let index = 0; index < files; index += 1) {
    writeFileSync(join(source, 'many', `file-${String(index).padStart(6, '0')}`), next(24));
  }
  for (let index = 0; index < small; index += 1) {
    const parent = join(source, 'small', String(Math.floor(index / FILES_PER_FOLDER)).padStart(4, '0'));
    if (index % FILES_PER_FOLDER === 0) mkdirSync(parent, { recursive: true });
    writeFileSync(join(parent, String(index)), next(2000));
  }
  await writeSeededFile(join(source, 'large'), 'mount large', mib * MIB);
}

function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
