/**
 * `npm run bench:window -- [--files 200000] [--seconds 30]`: measures the real window on a virtual screen during a backup
 * of this many files (round trips over the contract, frames), and while a list of a million entries is scrolled.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright';
import { ELECTRON, ElectronFixture } from '../app/electron-fixture.ts';
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
  const letters = join(folder, 'Letters');
  makeFiles(source, FILES);
  makeFiles(letters, PER_FOLDER);
  const fixture = await ElectronFixture.open({ folder });
  try {
    const page = await fixture.window();
    const destination = { kind: 'folder', path: join(folder, 'backups') };
    await asked(fixture, 'setup.finish', { choice: destination, deviceName: 'bench' });
    await addSet(fixture, 'bench', source);
    await addSet(fixture, 'Letters', letters);
    const listing = await listingOf(fixture, 'Letters');
    await page.reload();
    await page.waitForLoadState();
    const { run } = (await asked(fixture, 'runs.backup', { set: 'bench' })) as { run: number };
    const figures = await figuresOf(page, questionsAbout(listing));
    const { run: after } = (await asked(fixture, 'activity.run', { run })) as { run: { endedAt?: number } };
    report(`while ${FILES} files are backed up${after.endedAt === undefined ? '' : ' (it ended meanwhile)'}`, figures);
  } finally {
    await fixture.close();
  }
}

async function addSet(fixture: ElectronFixture, name: string, root: string): Promise<void> {
  const form = { name, roots: [root], excludes: [], presets: [], oneFileSystem: false, privateNames: false };
  await asked(fixture, 'sets.add', { form: { ...form, schedule: 'manual', conditions: {}, limits: {} } });
}

/** Opens the top folder of a set's first restore point, which is created for it. */
async function listingOf(fixture: ElectronFixture, set: string): Promise<string> {
  const { run } = (await asked(fixture, 'runs.backup', { set })) as { run: number };
  while (((await asked(fixture, 'activity.run', { run })) as { run: { endedAt?: number } }).run.endedAt === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { points } = (await asked(fixture, 'restore.points', { set })) as { points: { restorePoint: string }[] };
  const { restorePoint } = points[0]!;
  const { listing } = (await asked(fixture, 'restore.open', { set, restorePoint, path: '/' })) as { listing: string };
  return listing;
}

type Question = readonly [method: string, input: unknown];

/** The calls that visible views make. */
function questionsAbout(listing: string): readonly Question[] {
  return [
    ['activity.list', { limit: 50 }],
    ['sets.get', { set: 'bench' }],
    ['sets.presets', {}],
    ['sets.suggestions', {}],
    ['devices.list', {}],
    ['security.state', {}],
    ['restore.sources', {}],
    ['restore.points', { set: 'Letters' }],
    ['restore.rows', { listing, from: 0, count: 100 }],
  ];
}

async function measureList(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-window-bench-'));
  const program = join(folder, 'program');
  await layOutProgram(program, (root) => `require(${JSON.stringify(join(root, 'test/bench/window-agent.ts'))});\n`);
  const fixture = await ElectronFixture.open({ folder, program });
  try {
    const page = await fixture.window();
    await page.getByRole('button', { name: 'Restore' }).click();
    const rows = page.getByRole('grid', { name: 'Files in this restore point' });
    await rows.getByRole('row', { name: /photo 0000000/ }).waitFor();
    const box = (await rows.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const measured = figuresOf(page, []);
    const end = performance.now() + DURATION_MS;
    // By the wheel, and by jumps to rows that have not been requested before.
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
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeFiles(source: string, count: number): void {
  for (let number = 0; number < count; number++) {
    const folder = join(source, `folder ${Math.floor(number / PER_FOLDER)}`);
    if (number % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file ${number}.txt`), `file ${number}\n`.repeat(1 + (number % 50)));
  }
}

/** The measurements of the window's own page, for the given duration. */
async function figuresOf(page: Page, questions: readonly Question[]): Promise<Figures> {
  return page.evaluate(
    async ({ length, asking }) => {
      type Port = { call: (name: string, input: unknown) => Promise<unknown> };
      const { holdfastPort, requestAnimationFrame } = globalThis as unknown as {
        holdfastPort: Port;
        requestAnimationFrame: (frame: (at: number) => void) => void;
      };
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
      const until = asking.length > 0 ? end : 0;
      for (let turn = 0; performance.now() < until; turn++) {
        const [name, input] = asking[turn % asking.length]!;
        const from = performance.now();
        await holdfastPort.call(name, input);
        (calls[name] ??= []).push(performance.now() - from);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await drawing;
      return { calls, frames };
    },
    { length: DURATION_MS, asking: questions },
  );
}

function report(what: string, { calls, frames }: Figures): void {
  process.stdout.write(`${what}:\n`);
  const all = Object.values(calls).flat();
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

async function asked(fixture: ElectronFixture, name: string, input: unknown): Promise<unknown> {
  const answer = (await fixture.ask(name, input)) as { ok: boolean; value: unknown };
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return answer.value;
}
