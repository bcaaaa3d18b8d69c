import type { Output } from '../output.ts';
import { lowPriorityText, progressText, type ProgressReporter, type ShownProgress } from './progress-text.ts';

/** Returns JSON lines on request, a bar on a terminal, and otherwise a plain line from time to time. */
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

  show(progress: ShownProgress, of?: string): void {
    const named = of === undefined ? progress : { ...progress, set: of };
    const entries = Object.entries(named).map(([name, value]): [string, unknown] => [snakeCase(name), value ?? null]);
    this.#stream.write(`${JSON.stringify(Object.fromEntries(entries))}\n`);
  }

  end(): void {
    // Each line is complete.
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

  show(progress: ShownProgress, of?: string): void {
    const phase = `${of ?? ''} ${progress.phase} ${progress.waiting ?? ''} ${lowPriorityText(progress)}`;
    if (phase === this.#phase && performance.now() < this.#nextAt) return;
    this.#phase = phase;
    this.#nextAt = performance.now() + PLAIN_LINE_EVERY_MS;
    this.#stream.write(`${progressText(progress, of)}\n`);
  }

  end(): void {
    // Each line is complete.
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
