import type { RestoreProgress, RunOptions } from '../job/progress.ts';
import type { RestoreDependencies, VerifyReport, VerifyRequest } from './types.ts';

/**
 * Downloads, opens and checks the tree and every chunk of a restore point (or a sample of them), each once, and writes
 * nothing. What is wrong is named in the report.
 *
 * @throws HoldfastError `no_restore_point`, `interrupted`, and what the service throws
 */
export function verifyRestorePoint(
  request: VerifyRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress> = {},
): Promise<VerifyReport> {
  return Promise.reject(new Error(`not built yet: ${request.samplePercent} ${deps.scratch} ${String(options.signal)}`));
}
