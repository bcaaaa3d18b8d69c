import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { FileResult } from './results.ts';

/** Results of earlier runs, one line of JSON for each file: a page can be put together from several runs. */
export class RunRecord {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(result: FileResult): void {
    appendFileSync(this.#file, `${JSON.stringify(result)}\n`);
  }

  /** The newest result of each of these files, in their order. */
  newestOf(files: readonly string[]): readonly FileResult[] {
    const text = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '';
    const lines = text.split('\n').filter(Boolean);
    const newest = new Map(lines.map((line) => JSON.parse(line) as FileResult).map((result) => [result.file, result]));
    return files.map((file) => newest.get(file)).filter((result) => result !== undefined);
  }
}
