import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupDependencies, BackupReport, BackupSetSpec } from '../../../src/archive/backup/types.ts';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../src/format/crypto/keys.ts';
import { readTreeFooter } from '../../../src/read/source/tree.ts';
import { runRestore } from '../../../src/restore/restore.ts';
import { verifyRestorePoint } from '../../../src/restore/verify/verify.ts';
import type { RestoreSource } from '../../../src/model/restore-request.ts';
import type {
  RestoreDependencies,
  RestoreReport,
  LocalRestoreRequest,
  VerifyReport,
} from '../../../src/restore/types.ts';
import type { RestoreProgress, RunOptions } from '../../../src/jobs/progress.ts';
import type { WorkerPool } from '../../../src/workers/pool.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';
import { MemoryService } from './memory-service.ts';
import { DESTINATION } from '../catalog.ts';
import { backUpTo } from '../backup.ts';

export const DEVICE = 'device-1';
export const SET = 'documents';
export const MASTER = Buffer.alloc(32, 7);
const ENVELOPE = await createEnvelope(MASTER);

/** A folder to back up, a service in memory and folders to restore to, with the real engine. */
export class RestoreWorld implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-restore-')));
  readonly source: string;
  readonly target = join(this.folder, 'target');
  readonly service = new MemoryService();
  readonly clock = new InstantClock();
  readonly pool: WorkerPool;
  catalog: Catalog;

  /**
   * @param pool shared with other worlds; its creator closes it
   * @param above folders between the world's and the one to back up
   */
  constructor(pool: WorkerPool, above = '') {
    this.pool = pool;
    this.source = join(this.folder, above, 'source');
    mkdirSync(this.source, { recursive: true });
    mkdirSync(join(this.folder, 'scratch'));
    this.catalog = new Catalog(join(this.folder, 'catalog.sqlite'));
  }

  get dependencies(): RestoreDependencies {
    return {
      service: this.service,
      downloader: this.service,
      catalog: this.catalog.at(DESTINATION),
      pool: this.pool,
      keys: deriveKeys(MASTER),
      clock: this.clock,
      scratch: join(this.folder, 'scratch'),
    };
  }

  backup(
    changes: Partial<BackupSetSpec> = {},
    { keyEnvelope = ENVELOPE, ...parts }: Partial<Pick<BackupDependencies, 'pool'> & { keyEnvelope: Uint8Array }> = {},
  ): Promise<BackupReport> {
    const set = {
      name: SET,
      roots: [this.source],
      excludes: [],
      presets: [],
      oneFileSystem: false,
      privateNames: false,
      ...changes,
    };
    const dependencies = {
      ...this.dependencies,
      pool: this.pool,
      ...parts,
      uploader: this.service,
      previousTree: async () => {
        return await readTreeFooter({ deviceId: DEVICE, backupSet: SET, at: 'latest' }, this.dependencies);
      },
    };
    return backUpTo({ set, deviceId: DEVICE, keyEnvelope }, dependencies);
  }

  restore(
    request: Partial<Omit<LocalRestoreRequest, 'source'>> & { readonly source?: Partial<RestoreSource> } = {},
    options: RunOptions<RestoreProgress> & { readonly dependencies?: Partial<RestoreDependencies> } = {},
  ): Promise<RestoreReport> {
    const source = { deviceId: DEVICE, backupSet: SET, at: 'latest', ...request.source } as const;
    return runRestore(
      { set: source.backupSet, at: source.at, paths: [], to: this.target, sourceRoots: [], ...request, source },
      { ...this.dependencies, ...options.dependencies },
      options,
    );
  }

  verify(samplePercent = 100, beside?: 'another' | 'all'): Promise<VerifyReport> {
    const source = { deviceId: DEVICE, backupSet: SET, at: 'latest' } as const;
    return verifyRestorePoint({ source, samplePercent, ...(beside ? { beside } : {}) }, this.dependencies);
  }

  [Symbol.dispose](): void {
    this.catalog.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
