/**
 * `bin/node bench/cut.ts`: a backup over a link of 100 Mbit/s and 40 ms that is interrupted for 30 s, once by dropping all
 * traffic silently, once by resetting all connections and refusing new ones. Prints the course of events.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { run } from './compare/measure.ts';
import { writeSeededFile } from './data-sets/seeded-bytes.ts';
import { SlowLink } from './network/slow-link.ts';
import { LINK, openOverHttp } from './tools/holdfast-service.ts';
import type { Command, Store } from './tools/tool.ts';

const FILES = 20;
const FILE_BYTES = 10_000_000;
const CUT_MS = 30_000;
/** Bytes sent before the interruption. */
const CUT_AT = 0.3 * FILES * FILE_BYTES;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-cut-'));
try {
  const source = join(folder, 'source');
  mkdirSync(source);
  for (let index = 0; index < FILES; index += 1) {
    await writeSeededFile(join(source, `${index}.bin`), `cut ${index}`, FILE_BYTES);
  }
  console.log(`backup of ${FILES * FILE_BYTES} bytes, cut after ${CUT_AT} for ${CUT_MS / 1000} s`);
  await tryCut('nothing passes', source, (link) => link.cut());
  await tryCut('connections reset', source, (link) => link.cutAndReset());
} finally {
  rmSync(folder, { recursive: true });
}

async function tryCut(name: string, source: string, cut: (link: SlowLink) => void): Promise<void> {
  const place = mkdtempSync(join(folder, 'place-'));
  const link = await SlowLink.listen(LINK);
  const store = await openOverHttp(place, source, link);
  try {
    link.up.reset();
    const started = performance.now();
    const running = backUp(store);
    while (link.up.bytes < CUT_AT) await setTimeout(20);
    cut(link);
    await setTimeout(CUT_MS);
    const before = link.up.bytes;
    link.mend();
    const mendedAt = performance.now();
    while (link.up.bytes < before + 1_000_000) await setTimeout(20);
    const movedAfter = performance.now() - mendedAt;
    const { waited } = await running;
    const seconds = (performance.now() - started) / 1000;
    const surplus = link.up.bytes / (FILES * FILE_BYTES) - 1;
    // Every chunk is downloaded and decrypted.
    await run(verify(store), place);
    console.log(`
${name}:
  took ${seconds.toFixed(1)} s, and the line was whole for ${(seconds - CUT_MS / 1000).toFixed(1)} s of it
  a million bytes had passed ${(movedAfter / 1000).toFixed(1)} s after it was mended
  sent ${(100 * surplus).toFixed(1)} % more than the data has, with headers and manifest
  said that it waited: ${waited.length === 0 ? 'never' : waited.join(', ')}
  verified`);
  } finally {
    link.close();
    await store.close();
  }
}

/** Returns the reasons for waiting in order. */
async function backUp(store: Store): Promise<{ readonly waited: readonly string[] }> {
  const { program, args, environment } = store.backup();
  const child = spawn(program, [...args, '--progress', 'json'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const waited: string[] = [];
  let last: string | null = null;
  createInterface(child.stderr).on('line', (line) => {
    const { waiting } = JSON.parse(line) as { readonly waiting: string | null };
    if (waiting !== null && waiting !== last) waited.push(waiting);
    last = waiting;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`the backup ended with ${status}`);
  return { waited };
}

function verify(store: Store): Command {
  const { program, environment } = store.backup();
  return { program, args: ['verify', 'bench', '--json'], environment };
}
