import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_RETRY_POLICY } from '../../../../src/remote/http/retrier.ts';
import { MINUTE } from '../../../../src/model/units.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import { BucketStorage } from '../../../../src/storage/s3/bucket-storage.ts';
import { SftpStorage } from '../../../../src/storage/sftp/sftp-storage.ts';
import type { Storage } from '../../../../src/storage/storage.ts';
import { CopyWorld } from '../../copy/copy-world.ts';
import { differences } from '../../../helpers/differences.ts';
import { impatientClock } from '../../../helpers/impatient-clock.ts';
import { Random } from '../../../helpers/random.ts';
import { newBucket } from '../../../helpers/s3/s3-server.ts';
import { SftpServer } from '../../../helpers/sftp/sftp-server.ts';
import { faultsIn, nameOf } from '../http/faulty-http.ts';
import { LineCampaign, type Line, type LineCampaignParts, type LineCampaignResult } from '../line-campaign.ts';
import { FaultyGateway } from './faulty-gateway.ts';
import { FaultyLine, LINE_FAULTS, type LineFault } from './faulty-line.ts';

/** Attempts of the client of a bucket, whose pauses are real. */
const ATTEMPTS = 2;

export interface StoreCampaignOptions {
  readonly seed: number;
  /** Backups with a fault, and as many restores. */
  readonly runs: number;
}

/** Backs up to a bucket and restores from it, with a fault in one request of each run, or from one request on. */
export async function runBucketCampaign(pool: WorkerPool, options: StoreCampaignOptions): Promise<LineCampaignResult> {
  const config = await newBucket();
  await using line = await FaultyGateway.listen(config.endpoint!);
  await using storage = new BucketStorage({ ...config, endpoint: line.address }, { attempts: ATTEMPTS });
  const random = new Random(options.seed);
  const chosen = (calls: number) => random.shuffled(faultsIn(calls)).slice(0, options.runs);
  return await runOver(pool, storage, { line, random, faultsIn: chosen, nameOf });
}

/** The same at an SSH server, with a fault of the connection after any byte. */
export async function runSftpCampaign(pool: WorkerPool, options: StoreCampaignOptions): Promise<LineCampaignResult> {
  const server = await SftpServer.start();
  await using world = new CopyWorld(pool);
  const folder = join(world.folder, 'on the server');
  mkdirSync(folder);
  try {
    await using line = await FaultyLine.listen(server.port);
    const config = { ...server.config(folder), port: line.port };
    // Each run is a minute after the one before it: calls do not ask again for a moment what others have waited for in vain.
    let skipped = 0;
    const clock = { ...impatientClock, now: () => Date.now() + skipped };
    const later: Line<LineFault> = {
      begin: (fault) => {
        skipped += MINUTE;
        return line.begin(fault);
      },
    };
    const parts = { clock, policy: RUN_RETRY_POLICY };
    await using storage = new SftpStorage(config, parts, { isNew: true });
    const random = new Random(options.seed);
    const newFault = (bytes: number): LineFault => ({
      at: random.below(bytes),
      kind: random.pick(LINE_FAULTS),
      isLasting: random.chance(0.3),
    });
    const chosen = (bytes: number) => Array.from({ length: options.runs }, () => newFault(bytes));
    return await runOver(pool, storage, { line: later, random, faultsIn: chosen, nameOf: nameOfLineFault });
  } finally {
    await server.close();
  }
}

/** Runs the campaign, and compares what a computer that has only the store restores in the end. */
async function runOver<Fault>(
  pool: WorkerPool,
  storage: Storage,
  parts: Omit<LineCampaignParts<Fault>, 'world' | 'place'>,
): Promise<LineCampaignResult> {
  await using world = new CopyWorld(pool);
  const place = await world.newStored('computer', storage);
  const result = await new LineCampaign({ ...parts, world, place }).run();
  const other = { ...(await world.stored('other computer', storage)), deviceId: place.deviceId };
  const { target } = await world.restore(other);
  const found = differences(world.source, target);
  const doubt = other.repository!.doubt;
  const failures = [...result.failures];
  if (found !== '') failures.push(`another computer: ${found}`);
  if (doubt) failures.push(`another computer doubts the list: ${JSON.stringify(doubt)}`);
  return { ...result, failures };
}

function nameOfLineFault({ at, kind, isLasting }: LineFault): string {
  return `${kind} after ${at} bytes${isLasting ? ', and then refused' : ''}`;
}
