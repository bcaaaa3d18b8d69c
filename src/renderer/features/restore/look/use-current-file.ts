import { useAppState } from '../../../bridge/use-app-state.ts';
import { useCall } from '../../../bridge/use-call.ts';
import type { Looking } from '../store/restore-store.ts';

/** What is in the original place of a file now. `elsewhere`: that is on another computer. `unknown`: it is being looked up. */
export interface CurrentFile {
  readonly state: 'unknown' | 'elsewhere' | 'gone' | 'there';
  /** Of a file that responds. */
  readonly size?: number | undefined;
  /** ISO 8601. */
  readonly modified?: string | undefined;
}

export function useCurrentFile({ source, path }: Looking): CurrentFile {
  const own = useAppState((state) => state.device?.id);
  const isOwn = source.device === undefined || source.device === own;
  const answer = useCall('restore.on-disk', { paths: isOwn ? [path] : [] });
  if (!isOwn) return { state: 'elsewhere' };
  if (answer.kind === 'waiting') return { state: 'unknown' };
  // Unless it is known to be gone, nothing may be put in its place unasked.
  if (answer.kind === 'failed') return { state: 'there' };
  const [found] = answer.value.found;
  if (!found) return { state: 'gone' };
  return found.kind === 'file' ? { state: 'there', size: found.size, modified: found.modified } : { state: 'there' };
}
