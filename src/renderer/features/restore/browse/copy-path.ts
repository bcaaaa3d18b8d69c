import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { call } from '../../../bridge/bridge.ts';

/** Copies the path of an entry, as its file manager writes it. */
export function copyPath({ path }: Pick<BrowsedEntry, 'path'>): void {
  const isWindows = /^[A-Za-z]:/.test(path);
  void call('shell.copy', { text: isWindows ? path.replaceAll('/', '\\') : path });
}
