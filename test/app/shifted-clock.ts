import { readFileSync } from 'node:fs';
import threads from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';

// Loaded before the agent and each of its threads: offsets their clock from the machine's by the milliseconds in a file.
// Only tests start a program with this.

const file = process.env['HOLDFAST_TEST_CLOCK']!;
const Machine = Date;

class ShiftedDate extends Machine {
  constructor(...words: readonly [] | readonly [value: number | string | Date]) {
    if (words.length === 1) super(words[0]);
    else if (words.length === 0) super(ShiftedDate.now());
    else super(...(words as unknown as [number, number]));
  }

  static override now(): number {
    return Machine.now() + Number(readFileSync(file, 'utf8'));
  }
}
globalThis.Date = ShiftedDate as DateConstructor;

const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(script: string | URL, options: WorkerOptions = {}) {
    super(script, { ...options, execArgv: ['--import', import.meta.filename] });
  }
};
