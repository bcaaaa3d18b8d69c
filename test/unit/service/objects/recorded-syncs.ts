import { basename } from 'node:path';
import { replacedFsPromises } from '../../../helpers/replaced-fs.ts';

export interface RecordedSyncs extends Disposable {
  /** `sync` or `unlink` with the path, in order. */
  readonly events: readonly string[];
}

/**
 * Records which files and folders are made durable or removed through `node:fs/promises`, until it is disposed.
 *
 * @param fail throws the error with which syncing a path fails, if it is to
 */
export function recordedSyncs(fail: (path: string) => void = () => undefined): RecordedSyncs {
  const events: string[] = [];
  const replaced = replacedFsPromises(({ open, unlink }) => ({
    open: async (path, flags, mode) => {
      const handle = await open(path, flags, mode);
      for (const name of ['sync', 'datasync'] as const) {
        const original = handle[name].bind(handle);
        handle[name] = async () => {
          fail(String(path));
          await original();
          events.push(`sync ${String(path)}`);
        };
      }
      return handle;
    },
    unlink: async (path) => {
      events.push(`unlink ${basename(String(path))}`);
      await unlink(path);
    },
  }));
  return { events, [Symbol.dispose]: () => replaced[Symbol.dispose]() };
}
