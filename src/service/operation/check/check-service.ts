import type { BucketConfig } from '../../../storage/bucket/bucket-config.ts';
import { checkBucket } from './bucket.ts';
import { checkClock } from './clock.ts';
import type { OtherClock } from './clock.ts';
import { checkPostgres, checkSqlite } from './database.ts';
import { checkDataFolder } from './data-folder.ts';
import { ok, warning } from './finding.ts';
import type { Finding } from './finding.ts';
import { checkAddress } from './public-address.ts';

/** Configuration of the checked service. */
export interface CheckedService {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly trustsProxies: boolean;
  /** `postgres://…`; without it, SQLite. */
  readonly database?: string;
  /** Without it, files. */
  readonly bucket?: BucketConfig;
  readonly allowPrivateWebhooks: boolean;
}

/**
 * Checks everything that a service needs, as the user that runs it. Changes nothing.
 *
 * @param beforeStart leaves out what only a running service can answer
 */
export async function checkService(service: CheckedService, beforeStart: boolean): Promise<readonly Finding[]> {
  const { data, host, port, publicUrl, trustsProxies } = service;
  const folder = await checkDataFolder(data);
  const [database, bucket, address] = await Promise.all([
    service.database === undefined ? checkSqlite(data) : checkPostgres(service.database),
    service.bucket === undefined ? undefined : checkBucket(service.bucket),
    checkAddress({ host, port, trustsProxies, beforeStart, ...(publicUrl === undefined ? {} : { publicUrl }) }),
  ]);
  const clocks: OtherClock[] = [];
  if (database.skew !== undefined) clocks.push({ whose: 'the database', skew: database.skew });
  if (bucket?.skew !== undefined) clocks.push({ whose: 'the object storage', skew: bucket.skew });
  if (address.skew !== undefined) clocks.push({ whose: 'the public address', skew: address.skew });
  return [
    userFinding(),
    ...folder,
    ...database.findings,
    ...(bucket?.findings ?? [ok('objects', 'Blobs are files in the data folder.')]),
    ...address.findings,
    ...(database.isCopy === true ? [warning('webhooks', COPY)] : []),
    webhookFinding(service.allowPrivateWebhooks),
    checkClock(Date.now(), clocks),
  ];
}

const COPY =
  'This is a copy: it sends no webhooks and deletes no blobs until "holdfast service take-over" makes it the service.';

function userFinding(): Finding {
  if (process.getuid?.() !== 0) return ok('user', 'The service runs without special rights.');
  return warning('user', 'This is root; run the service, and this check, as a user of its own.');
}

function webhookFinding(allowsPrivate: boolean): Finding {
  if (!allowsPrivate) return ok('webhooks', 'Webhooks go to public addresses only.');
  return warning('webhooks', 'Webhooks may go to private addresses: whoever adds one can reach this network.');
}
