import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Store, Tool } from '../tools/tool.ts';

/** A tool whose commands write a CPU profile for each of their threads. */
export class ProfiledTool implements Tool {
  readonly #tool: Tool;
  readonly #pending: string;
  readonly #folder: string;

  /** @param folder an existing folder for the profiles */
  constructor(tool: Tool, folder: string) {
    this.#tool = tool;
    this.#folder = folder;
    this.#pending = join(folder, 'pending');
  }

  get name(): Tool['name'] {
    return this.#tool.name;
  }

  get label(): string {
    return this.#tool.label;
  }

  missing(): string | undefined {
    return this.#tool.missing();
  }

  version(): string {
    return this.#tool.version();
  }

  async open(place: string, source: string): Promise<Store> {
    const store = await this.#tool.open(place, source);
    return {
      ...store,
      backup: () => this.#profiled(store.backup()),
      restore: (to) => this.#profiled(store.restore(to)),
      list: (folder) => this.#profiled(store.list(folder)),
    };
  }

  /** Names the profiles of the last command. Returns their folder. */
  nameLast(name: string): string {
    const named = join(this.#folder, name);
    renameSync(this.#pending, named);
    return named;
  }

  #profiled(command: Command): Command {
    rmSync(this.#pending, { recursive: true, force: true });
    const options = `--cpu-prof --cpu-prof-dir=${JSON.stringify(this.#pending)}`;
    return { ...command, environment: { ...command.environment, NODE_OPTIONS: options } };
  }
}
