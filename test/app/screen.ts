import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface ScreenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly pictures?: string;
}

/** A virtual screen, with a display that X chooses. */
export class Screen {
  readonly display: string;
  readonly #server: ChildProcess;

  private constructor(display: string, server: ChildProcess) {
    this.display = display;
    this.#server = server;
  }

  /** @param pictures a folder for the file with the pixels that are shown now, `Xvfb_screen0` in the form of xwd */
  static async start({ width = 1600, height = 1000, pictures }: ScreenOptions = {}): Promise<Screen> {
    const words = ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-noreset'];
    if (pictures !== undefined) words.push('-fbdir', pictures);
    // It ends with its parent, even if that is killed, and with it everything that it shows.
    const server = spawn('setpriv', ['--pdeathsig', 'KILL', 'Xvfb', ...words], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const lines = createInterface({ input: server.stdio[3] as Readable });
    const answer = await Promise.race([once(lines, 'line'), once(server, 'exit')]);
    lines.close();
    if (typeof answer[0] !== 'string') throw new Error(`Xvfb ended with ${String(answer[0])}`);
    return new Screen(`:${answer[0]}`, server);
  }

  async stop(): Promise<void> {
    if (this.#server.exitCode !== null || this.#server.signalCode !== null) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill();
    await ended;
  }
}
