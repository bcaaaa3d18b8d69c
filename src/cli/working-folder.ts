import { parse } from 'node:path';
import { wrongUsage } from '../base/errors/errors.ts';

/**
 * Leaves a working folder that was deleted, in which Node starts no thread. Relative paths are refused from then on: they would mean
 * another place.
 */
export function leaveDeletedFolder(): void {
  try {
    process.cwd();
  } catch {
    process.chdir(parse(process.execPath).root);
    process.cwd = () => {
      throw wrongUsage({
        problem: 'options',
        message: 'The folder in which this command runs was deleted. Use absolute paths, or change to another folder.',
      });
    };
  }
}
