import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ElectronFixture } from './electron-fixture.ts';
import { layOutProgram } from './program-folder.ts';

/** The real app with its real agent, whose clock tests can advance as if the computer slept. */
export class ClockFixture {
  readonly electron: ElectronFixture;
  readonly #file: string;
  #offset = 0;

  private constructor(electron: ElectronFixture, file: string) {
    this.electron = electron;
    this.#file = file;
  }

  /** @param folder the person's folder with files to back up */
  static async open(folder: string): Promise<ClockFixture> {
    const program = join(mkdtempSync(join(tmpdir(), 'holdfast-program-')), 'program');
    await layOutProgram(
      program,
      (root, agent) =>
        `require(${JSON.stringify(join(root, 'test/app/shifted-clock.ts'))});\nrequire(${JSON.stringify(agent)});\n`,
    );
    const file = join(program, 'clock.txt');
    writeFileSync(file, '0');
    const environment = { HOLDFAST_TEST_CLOCK: file };
    return new ClockFixture(await ElectronFixture.open({ folder, program, environment }), file);
  }

  /** Returns the present time of the agent. */
  now(): number {
    return Date.now() + this.#offset;
  }

  /** Advances the clock of the agent and reports a wake-up, as after sleep. */
  async sleepUntil(time: number): Promise<void> {
    this.#offset += time - this.now();
    writeFileSync(`${this.#file}.new`, String(this.#offset));
    renameSync(`${this.#file}.new`, this.#file);
    await this.electron.app.evaluate(({ powerMonitor }) => {
      powerMonitor.emit('resume');
    });
  }

  async close(): Promise<void> {
    await this.electron.close();
    rmSync(dirname(dirname(this.#file)), { recursive: true, force: true });
  }
}
