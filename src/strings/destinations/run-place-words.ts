import type { RunAtDestination } from '../../model/run.ts';
import type { Language } from '../strings.ts';

/** Describes in a few words how far a backup is at one of its destinations: `Storing, 1.2 GB of 3 GB`. */
export function runPlaceWords(
  { phase, waiting, bytesDone, bytesTotal }: RunAtDestination,
  { strings, formats }: Language,
): string {
  const words = strings.destinations.run;
  if (phase === 'done' || phase === 'failed') return words[phase];
  if (waiting !== undefined) return words.waiting;
  if (phase === 'scanning' && bytesDone > 0) return words.storing(formats.bytes(bytesDone));
  if (phase !== 'uploading' || bytesTotal === undefined || bytesTotal === 0)
    return words[phase === 'uploading' ? 'scanning' : phase];
  return words.uploading(formats.bytes(bytesDone), formats.bytes(bytesTotal));
}

/** From 0 to 1; `undefined` while it is unknown. */
export function partDoneAt({ phase, bytesDone, bytesTotal }: RunAtDestination): number | undefined {
  if (phase === 'done') return 1;
  if (bytesTotal === undefined || bytesTotal === 0) return undefined;
  return Math.floor(Math.min(1, bytesDone / bytesTotal) * 100) / 100;
}
