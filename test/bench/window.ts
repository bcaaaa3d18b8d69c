/**
 * `npm run bench:window -- [--files 200000] [--seconds 30]`: the real window on a screen that nobody sees, while so many
 * files are backed up (round trips over the contract, frames), and while a list of a million entries is scrolled.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { ELECTRON, ElectronWorld } from '../app/electron-world.ts';
import { layOutProgram } from '../app/program-folder.ts';

const { values } = parseArgs({
  options: { files: { type: 'string', default: '200000' }, seconds: { type: 'string', default: '30' } },
});
const FILES = Number(values.files);
const PER_FOLDER = 1000;
const DURATION_MS = 1000 * Number(values.seconds);

/** All in milliseconds. */
interface Figures {
  readonly calls: Readonly<Record<string, readonly number[]>>;
  readonly frames: readonly number[];
}

if (!ELECTRON) throw new Error('Electron and Xvfb are needed.');
process.stdout.write(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}\n`);
await measureList();
await measureBackup();

async function measureBackup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-window-bench-'));
  const source = join(folder, 'Documents');
  makeFiles(source);
  const world = await ElectronWorld.open({ folder });
  try {
    const page = await world.window();
    const destination = { kind: 'folder', path: join(folder, 'backups') };
    await asked(world, 'setup.finish', { destination, deviceName: 'bench' });
    const form = { name: 'bench', roots: [source], excludes: [], presets: [], oneFileSystem: false };
    await asked(world, 'sets.add', {
      form: { ...form, privateNames: false, schedule: 'manual', conditions: {}, limits: {} },
    });
    await page.reload();
    await page.waitForLoadState();
    const { run } = (await asked(world, 'runs.backup', { set: 'bench' })) as { run: number };
    const figures = await figuresOf(page, true);
    const { run: after } = (await asked(world, 'activity.run', { run })) as { run: { endedAt?: number } };
    report(`while ${FILES} files are backed up${after.endedAt === undefined ? '' : ' (it ended meanwhile)'}`, figures);
  } finally {
    await world.close();
  }
}

async function measureList(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-window-bench-'));
  const program = join(folder, 'program');
  await layOutProgram(program, (root) => `require(${JSON.stringify(join(root, 'test/bench/window-agent.ts'))});\n`);
  const world = await ElectronWorld.open({ folder, program });
  try {
    const page = await world.window();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    const rows = page.getByRole('grid', { name: 'Files in this restore point' });
    await rows.getByRole('row', { name: /photo 0000000/ }).waitFor();
    const box = (await rows.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const measured = figuresOf(page, false);
    const end = performance.now() + DURATION_MS;
    // By the wheel, and by leaps that show rows which nobody has asked for before.
    for (let turn = 0; performance.now() < end; turn++) {
      if (turn % 40 === 39)
        await rows.evaluate(
          (grid, part) => {
            const list = grid as unknown as { scrollTop: number; readonly scrollHeight: number };
            list.scrollTop = list.scrollHeight * part;
          },
          (turn % 97) / 97,
        );
      else await page.mouse.wheel(0, 400);
    }
    report('while a list of 1,000,000 entries is scrolled', await measured);
  } finally {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeFiles(source: string): void {
  for (let number = 0; number < FILES; number++) {
    const folder = join(source, `folder ${Math.floor(number / PER_FOLDER)}`);
    if (number % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file ${number}.txt`), `file ${number}\n`.repeat(1 + (number % 50)));
  }
}

/** What the window's own page measures, for as long as was asked. */
async function figuresOf(page: Page, isCalling: boolean): Promise<Figures> {
  return page.evaluate(
    async ({ length, calling }) => {
      type Port = { call: (name: string, input: unknown) => Promise<unknown> };
      const { holdfastPort, requestAnimationFrame } = globalThis as unknown as {
        holdfastPort: Port;
        requestAnimationFrame: (frame: (at: number) => void) => void;
      };
      const atDestination = ['devices.list', {}] as const;
      const calls: Record<string, number[]> = {};
      const frames: number[] = [];
      const end = performance.now() + length;
      let last: number | undefined;
      const drawing = new Promise<void>((resolve) => {
        const frame = (at: number): void => {
          if (last !== undefined) frames.push(at - last);
          last = at;
          if (at < end) requestAnimationFrame(frame);
          else resolve();
        };
        requestAnimationFrame(frame);
      });
      const questions: readonly (readonly [string, unknown])[] = [
        ['activity.list', { limit: 50 }],
        ['sets.get', { set: 'bench' }],
        ['sets.presets', {}],
        ['sets.suggestions', {}],
      ];
      const until = calling ? end : 0;
      for (let turn = 0; performance.now() < until; turn++) {
        // What opens the place where backups go takes as long as that does, and is told apart.
        const [name, input] = turn % 100 === 99 ? atDestination : questions[turn % questions.length]!;
        const from = performance.now();
        await holdfastPort.call(name, input);
        (calls[name] ??= []).push(performance.now() - from);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await drawing;
      return { calls, frames };
    },
    { length: DURATION_MS, calling: isCalling },
  );
}

function report(what: string, { calls, frames }: Figures): void {
  process.stdout.write(`${what}:\n`);
  const all = Object.entries(calls).flatMap(([name, times]) => (name === 'devices.list' ? [] : times));
  if (all.length > 0) process.stdout.write(`  ${line('round trips', all)}\n`);
  for (const [name, times] of Object.entries(calls)) process.stdout.write(`    ${line(name, times)}\n`);
  process.stdout.write(`  ${line('frames', frames)}\n`);
}

function line(what: string, times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN).toFixed(1);
  return `${sorted.length} ${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

async function asked(world: ElectronWorld, name: string, input: unknown): Promise<unknown> {
  const answer = (await world.ask(name, input)) as { ok: boolean; value: unknown };
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return answer.value;
}
