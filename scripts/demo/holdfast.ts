import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const program = join(dirname(dirname(import.meta.dirname)), 'bin/holdfast');

/** Runs the `holdfast` that users run, with its own home. */
export class Holdfast {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** Runs a command and returns its JSON. Exit code 3 (warnings) counts as success; the JSON lists the warnings. */
  async run<Answer>(...words: readonly string[]): Promise<Answer> {
    const args = [...words, '--json', '--home', this.#home];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, errors, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    if (status !== 0 && status !== 3) throw new HoldfastFailed(`holdfast ${words.join(' ')}\n${output}${errors}`);
    return JSON.parse(output) as Answer;
  }
}

export class HoldfastFailed extends Error {}

export interface BackupAnswer {
  readonly restore_point: string;
  readonly files_processed: number;
  readonly bytes_scanned: number;
  readonly bytes_uploaded: number;
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
}

export interface RestoreAnswer {
  readonly files_restored: number;
  readonly bytes_written: number;
  readonly failures: readonly { readonly path: string; readonly reason: string }[];
}
