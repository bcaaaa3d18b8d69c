import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AppState } from '../../src/ipc/state.ts';
import { ElectronFixture } from './electron-fixture.ts';
import type { FixtureOptions } from './electron-fixture.ts';
import { layOutProgram } from './program-folder.ts';
import type { Script } from './scripted-agent.ts';

/** The real app with a scripted agent, which shows every state of the shell quickly. */
export class ScriptedFixture {
  readonly electron: ElectronFixture;
  readonly #home: string;

  private constructor(electron: ElectronFixture) {
    this.electron = electron;
    this.#home = electron.home;
  }

  static async open(script: Script, options: FixtureOptions = {}): Promise<ScriptedFixture> {
    const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'holdfast-shell-'));
    const program = join(folder, 'program');
    const agent = (root: string): string => `require(${JSON.stringify(join(root, 'test/app/scripted-agent.ts'))});\n`;
    if (!existsSync(program)) await layOutProgram(program, agent);
    const home = join(folder, 'holdfast');
    mkdirSync(home, { recursive: true });
    write(home, script);
    return new ScriptedFixture(await ElectronFixture.open({ ...options, folder, program }));
  }

  play(script: Script): void {
    write(this.#home, script);
  }

  sendState(state: AppState): void {
    this.play({ events: { state } });
  }

  /** Returns the calls of the agent so far, oldest first. */
  calls(): readonly { readonly method: string; readonly input: unknown }[] {
    const file = join(this.#home, 'calls.txt');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as { method: string; input: unknown });
  }

  async agentPid(): Promise<number> {
    const file = join(this.#home, 'agent.pid');
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+$/);
    return Number(readFileSync(file, 'utf8'));
  }

  async close(): Promise<void> {
    await this.electron.close();
  }
}

function write(home: string, script: Script): void {
  const fresh = join(home, 'script.new');
  writeFileSync(fresh, JSON.stringify(script));
  renameSync(fresh, join(home, 'script.json'));
}
