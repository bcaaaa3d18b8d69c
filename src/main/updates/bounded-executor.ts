import { ElectronHttpExecutor } from 'electron-updater/out/electronHttpExecutor.js';
import { downloadBounded, type AnnouncedFile } from './bounded-download.ts';
import { httpGet } from './http-get.ts';
import { UpdateProblem } from './update-problem.ts';
import { DAY } from '../../model/units.ts';

/** How long a server may send nothing. */
const PATIENCE_MS = 120_000;
/** How long a download may take: 110 MB at 10 kbit/s. */
const LONGEST_MS = DAY;

export interface ExpectedDownload {
  readonly announced: AnnouncedFile;
  readonly signal: AbortSignal;
  readonly onPercent: (percent: number) => void;
}

/** Downloads the announced file only; electron-updater's own downloads follow every redirect, and have no end in bytes or time. */
export class BoundedExecutor extends ElectronHttpExecutor {
  expected: ExpectedDownload | undefined;

  override async download(address: URL, file: string): Promise<string> {
    if (!this.expected) throw new UpdateProblem('metadata');
    const { announced, signal, onPercent } = this.expected;
    await downloadBounded({
      get: httpGet,
      address: address.href,
      file,
      announced,
      signal,
      patienceMs: PATIENCE_MS,
      longestMs: LONGEST_MS,
      onBytes: (bytes) => onPercent((bytes / announced.size) * 100),
    });
    return file;
  }
}
