/**
 * `bin/node bench/limit.ts`: backups and restores with bandwidth limits. Uploads are counted on the wire, downloads when they
 * are read, since the system's buffers on both ends hold megabytes.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, run } from './compare/measure.ts';
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
    reportUpload(kibibytes, link.up);
    const to = join(place, 'restored');
    mkdirSync(to);
    const { seconds } = await measure(limited(store.restore(to)), place);
    const rate = percent(SECONDS / seconds);
    console.log(`download limited to ${kibibytes} KiB/s: ${rate} over the whole run, with its start and end`);
  } finally {
    link.close();
    await store.close();
  }
}

function reportUpload(kibibytes: number, meter: LinkMeter): void {
  const share = (rate: number): string => percent(rate / (kibibytes * 1024));
  const highest = meter.highestRate(WINDOW_SECONDS);
  console.log(
    `upload limited to ${kibibytes} KiB/s: ${share(meter.busyRate)} on average, ` +
      `at most ${highest === undefined ? '–' : share(highest)} in any ${WINDOW_SECONDS} s`,
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
