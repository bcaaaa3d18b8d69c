import type { BackupProgress, LowPriorityReason, Progress, RestoreProgress } from '../engine/job/progress.ts';
import type { Output } from './output.ts';
import { countText, durationText, figureText, sizeText } from './text.ts';

/** Shows how far a run is. */
export interface ProgressReporter {
  show(progress: Progress): void;
  /** Leaves the terminal as it was. */
  end(): void;
}

/** Lines of JSON where they were asked for, a bar on a terminal, else plain lines now and then. */
export async function progressReporter(output: Output, form: 'json' | undefined): Promise<ProgressReporter> {
  const { error } = output.streams;
  if (form === 'json') return new JsonLines(error);
  if (output.json) return SILENT;
  if (error.isTTY !== true) return new PlainLines(error);
  const { ProgressBar } = await import('./progress-bar.ts');
  return new ProgressBar(error);
}

const SILENT: ProgressReporter = { show: () => undefined, end: () => undefined };

class JsonLines implements ProgressReporter {
  readonly #stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  show(progress: Progress): void {
    const entries = Object.entries(progress).map(([name, value]): [string, unknown] => [
      snakeCase(name),
      value ?? null,
    ]);
    this.#stream.write(`${JSON.stringify(Object.fromEntries(entries))}\n`);
  }

  end(): void {
    // Every line is complete in itself.
  }
}

const PLAIN_LINE_EVERY_MS = 10_000;

class PlainLines implements ProgressReporter {
  readonly #stream: NodeJS.WritableStream;
  #phase = '';
  #nextAt = 0;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  show(progress: Progress): void {
    const phase = `${progress.phase} ${progress.waiting ?? ''} ${lowPriorityText(progress)}`;
    if (phase === this.#phase && performance.now() < this.#nextAt) return;
    this.#phase = phase;
    this.#nextAt = performance.now() + PLAIN_LINE_EVERY_MS;
    this.#stream.write(`${progressText(progress)}\n`);
  }

  end(): void {
    // Every line is complete in itself.
  }
}

/** One line for people. */
export function progressText(progress: Progress): string {
  const text = progress.kind === 'backup' ? backupText(progress) : restoreText(progress);
  const eta = progress.etaSeconds === undefined ? '' : `, about ${durationText(Math.ceil(progress.etaSeconds))} left`;
  const state = progress.waiting === undefined ? eta : ` (waiting: ${waitingText(progress.waiting)})`;
  return text + state + lowPriorityText(progress);
}

function backupText(progress: BackupProgress): string {
  if (progress.phase === 'committing') return 'Finishing';
  if (progress.phase === 'scanning') {
    return `Scanning: ${countText(progress.filesScanned, 'file')}, ${sizeText(progress.bytesScanned)}`;
  }
  return `Uploading: ${sizeText(progress.bytesUploaded)} of ${sizeText(progress.bytesTotal)}`;
}

function restoreText(progress: RestoreProgress): string {
  if (progress.phase === 'planning') return 'Looking what is there';
  if (progress.phase === 'finishing') return 'Finishing';
  const verb = progress.kind === 'verify' ? 'Checking' : 'Restoring';
  const files = `${figureText(progress.filesDone)} of ${countText(progress.filesTotal, 'file')}`;
  return `${verb}: ${files}, ${sizeText(progress.bytesDone)} of ${sizeText(progress.bytesTotal)}`;
}

function lowPriorityText(progress: Progress): string {
  if (progress.kind !== 'backup' || progress.lowPriority === undefined) return '';
  return ` (low priority: ${LOW_PRIORITY_TEXTS[progress.lowPriority]})`;
}

const LOW_PRIORITY_TEXTS: Readonly<Record<LowPriorityReason, string>> = {
  asked: 'as asked for',
  'on-battery': 'on battery power',
  'person-active': 'somebody uses the computer',
};

function waitingText(reason: string): string {
  if (reason === 'service_unreachable') return 'the service cannot be reached';
  if (reason === 'service_silent') return 'the service does not answer';
  return reason === 'service_busy' ? 'the service is busy' : reason;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
