import { serveTasks } from '../base/limits/thread-pool.ts';
import { copyDatabase } from '../archive/chunk/database/copy-database.ts';
import { sealChunks } from '../archive/chunk/seal-chunks.ts';
import { chunkFiles } from '../archive/chunk/chunk-files.ts';
import { resealChunks } from '../copy/reseal-chunks.ts';
import { matchChunks } from '../restore/conflicts/match-chunks.ts';
import { checkChunks } from '../restore/verify/check-chunks.ts';
import { syncTarget } from '../restore/write/target.ts';
import { writeFiles } from '../restore/write/write-files.ts';
import type { EngineTasks } from './tasks.ts';

serveTasks<EngineTasks>({
  chunkFiles,
  sealChunks,
  copyDatabase,
  checkChunks,
  resealChunks,
  matchChunks,
  writeFiles,
  syncTarget,
});
