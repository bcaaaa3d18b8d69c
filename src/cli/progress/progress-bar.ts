import { SingleBar } from 'cli-progress';
import { progressText, type ProgressReporter, type ShownProgress } from './progress-text.ts';

/** A bar on a terminal: its length shows the share of bytes, its text the rest. */
export class ProgressBar implements ProgressReporter {
  readonly #bar: SingleBar;
  #running = false;

  constructor(stream: NodeJS.WritableStream) {
    this.#bar = new SingleBar({
      stream,
      format: '{bar} {text}',
      barsize: 24,
      barCompleteChar: '█',
      barIncompleteChar: '░',
      hideCursor: true,
      clearOnComplete: true,
      linewrap: false,
      fps: 8,
    });
  }

  show(progress: ShownProgress, of?: string): void {
    const { total, done } = shareOf(progress);
    const payload = { text: progressText(progress, of) };
    if (!this.#running) this.#bar.start(Math.max(1, total), done, payload);
    this.#running = true;
    this.#bar.setTotal(Math.max(1, total));
    this.#bar.update(done, payload);
  }

  end(): void {
    if (this.#running) this.#bar.stop();
    this.#running = false;
  }
}

function shareOf(progress: ShownProgress): { total: number; done: number } {
  if (progress.kind === 'copy') return { total: progress.pointsTotal, done: progress.pointsDone };
  if (progress.kind !== 'backup') return { total: progress.bytesTotal, done: progress.bytesDone };
  if (progress.phase === 'committing') return { total: 1, done: 1 };
  return { total: progress.bytesTotal, done: Math.min(progress.bytesUploaded, progress.bytesTotal) };
}
