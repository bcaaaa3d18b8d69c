import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Answer, Command } from './messages.ts';
import { MARK_BYTES, Written } from './written.ts';

const LAUNCHER = join(import.meta.dirname, '../../../bin/holdfast');
const CHILD = join(import.meta.dirname, 'child.ts');
/** Bounds the memory that commands leave in the heap. */
const COMMANDS_PER_PROCESS = 100;

/** The result of a command. */
export interface WarmEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Names of what the command left behind, because of which its process has ended. */
  readonly left: readonly string[];
}

/** A child process that has loaded the program and runs commands one after the other. */
export class WarmProcess {
  readonly #child: ChildProcess;
  readonly #out: Written;
  readonly #error: Written;
  readonly #ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
  #isAlive = true;
  #remaining = COMMANDS_PER_PROCESS;

  /**
   * @param main the program's main module
   * @param environment of the process until its first command
   */
  constructor(main: string, environment: Readonly<Record<string, string>>, folder: string) {
    this.#child = spawn(process.execPath, [...launcherOptions(), CHILD, main], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: environment,
      cwd: folder,
    });
    this.#out = new Written(this.#child.stdout as Socket);
    this.#error = new Written(this.#child.stderr as Socket);
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', (status, signal) => resolve([status, signal]));
    });
    this.#child.once('exit', () => (this.#isAlive = false));
    this.#rest();
  }

  /** Whether another command can run: nothing was written after the end of the last one. */
  get isUsable(): boolean {
    return this.#remaining > 0 && this.#isAlive && this.#child.connected && this.#out.isEmpty && this.#error.isEmpty;
  }

  async run(command: Omit<Command, 'mark'>): Promise<WarmEnd> {
    const mark = randomBytes(MARK_BYTES / 2).toString('hex');
    this.#remaining -= 1;
    this.#child.ref();
    this.#child.channel?.ref();
    let left: readonly string[] = [];
    const answered = new Promise<Answer>((resolve) => {
      this.#child.once('message', (message) => {
        const answer = message as Answer;
        left = answer.left;
        resolve(answer);
      });
    });
    const complete = Promise.all([answered, this.#out.until(mark), this.#error.until(mark)]);
    this.#child.send({ ...command, mark } satisfies Command);
    const [status, signal] = await Promise.race([
      complete.then(([{ exitCode }]) => [exitCode, null] as const),
      this.#ended,
    ]);
    this.#rest();
    return { status, signal, stdout: this.#out.take(), stderr: this.#error.take(), left };
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  /** Lets the process that started it end. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

/** The options with which the launcher starts Node. */
function launcherOptions(): readonly string[] {
  const options = /^exec "\$node" (.+) "\$program" "\$@"$/m.exec(readFileSync(LAUNCHER, 'utf8'))?.[1];
  if (options === undefined) throw new Error('bin/holdfast starts Node in another way');
  return options.split(' ');
}
