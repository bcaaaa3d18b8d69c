import { writeFileAtomicallySync } from '../../base/files/atomic-file.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';

/** @throws HoldfastError `target_full`, `target_unwritable` */
export function saveFile(path: string, content: string | Uint8Array): { path: string } {
  try {
    writeFileAtomicallySync(path, content);
  } catch (error) {
    const problem = systemCodeOf(error) ?? 'unknown';
    throw new HoldfastError(problem === 'ENOSPC' ? 'target_full' : 'target_unwritable', { target: path, problem });
  }
  return { path };
}
