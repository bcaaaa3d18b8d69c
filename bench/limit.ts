/**
 * `node bench/limit.ts`: backups and restores with limits, and what passes over their sockets in any 10 s. A download may
 * begin with what fits into receive buffers; with a limit of kilobytes a second that shows.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './compare/measure.ts';
import { writeSeededFile } from './data-sets/seeded-bytes.ts';
import type { LinkMeter } from './network/link-meter.ts';
import { SlowLink } from './network/slow-link.ts';
import { openOverHttp } from './tools/holdfast-service.ts';
import type { Command } from './tools/tool.ts';

/** Far faster than any limit here. */
const LINK = { roundTripMs: 1, bytesPerSecond: 1_000_000_000 } as const;
const WINDOW_SECONDS = 10;
const SECONDS = 25;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-limit-'));
try {
  for (const kibibytes of [64, 1024, 8192]) await tryLimit(kibibytes);
} finally {
  rmSync(folder, { recursive: true });
}

async function tryLimit(kibibytes: number): Promise<void> {
  const place = mkdtempSync(join(folder, 'place-'));
  const source = join(place, 'source');
  mkdirSync(source);
  await writeSeededFile(join(source, 'data.bin'), `limit ${kibibytes}`, kibibytes * 1024 * SECONDS);
  const link = await SlowLink.listen(LINK);
  const store = await openOverHttp(place, source, link);
  const limited = ({ program, args, environment }: Command): Command => ({
    program,
    args: [...args, '--limit-upload', `${kibibytes}`, '--limit-download', `${kibibytes}`],
    environment,
  });
  try {
    link.up.reset();
    await run(limited(store.backup()), place);
    report('upload', kibibytes, link.up);
    link.down.reset();
    const to = join(place, 'restored');
    mkdirSync(to);
    await run(limited(store.restore(to)), place);
    report('download', kibibytes, link.down);
  } finally {
    link.close();
    await store.close();
  }
}

function report(direction: string, kibibytes: number, meter: LinkMeter): void {
  const share = (rate: number | undefined): string =>
    rate === undefined ? '–' : `${((100 * rate) / (kibibytes * 1024)).toFixed(1)} %`;
  console.log(
    `${direction} limited to ${kibibytes} KiB/s: ${share(meter.busyRate)} on average, ` +
      `at most ${share(meter.highestRate(WINDOW_SECONDS))} in any ${WINDOW_SECONDS} s`,
  );
}
