/**
 * Restores in a separate process, which can be killed and can belong to another user:
 *
 *     node restore-child.ts SERVICE-FOLDER SCRATCH TARGET [CONFLICT]
 *
 * It prints `download` before each download, and finally its report or its error's code as a line of JSON.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { deriveKeys } from '../../../src/format/crypto/keys.ts';
import { isHoldfastError } from '../../../src/base/errors/errors.ts';
import { runRestore } from '../../../src/restore/restore.ts';
import type { ConflictChoice } from '../../../src/model/restore-request.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { MemoryService } from './memory-service.ts';
import { DESTINATION } from '../catalog.ts';

const [serviceFolder = '', scratch = '', to = '', conflict] = process.argv.slice(2);
const service = MemoryService.load(serviceFolder);
service.beforeDownload = () => {
  writeSync(1, 'download\n');
};
using catalog = new Catalog(join(scratch, 'catalog.sqlite'));
await using pool = new WorkerPool(2);
const source = { deviceId: 'device-1', backupSet: 'documents', at: 'latest' } as const;
const request = {
  set: source.backupSet,
  at: source.at,
  source,
  paths: [],
  to,
  sourceRoots: [],
  ...(conflict ? { conflict: conflict as ConflictChoice } : {}),
};
const keys = deriveKeys(Buffer.alloc(32, 7));
try {
  const report = await runRestore(request, {
    service,
    downloader: service,
    catalog: catalog.at(DESTINATION),
    pool,
    keys,
    clock: systemClock,
    scratch,
  });
  writeSync(1, `${JSON.stringify(report)}\n`);
} catch (error) {
  writeSync(1, `${JSON.stringify({ error: isHoldfastError(error) ? error.code : String(error) })}\n`);
}
