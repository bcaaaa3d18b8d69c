import { inspectFolder } from '../../storage/folder/inspect-folder.ts';
import type { Destination } from '../../model/destination.ts';

/** A network drive whose server is gone may never respond. */
const TIMEOUT_MS = 5_000;

/** Returns whether a run can reach a destination, as far as that is known without a connection: only folders are checked. */
export async function isAtHand(destination: Destination): Promise<boolean> {
  if (destination.kind !== 'folder') return true;
  const late = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), TIMEOUT_MS).unref();
  });
  const found = inspectFolder(destination.directory).then(
    (use) => use === 'repository',
    () => false,
  );
  return await Promise.race([found, late]);
}
