import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CallClient } from '../../../base/calls/call-client.ts';
import { workerPort } from '../../../base/calls/thread-port.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import type { MountState } from '../../../ipc/home-state.ts';
import type { Home } from '../../home/home.ts';
import type { StateChanges } from '../state-changes.ts';
import type { MountThreadCalls, MountThreadEvents, MountThreadSetup } from './mount-thread-calls.ts';

/** Equal to that of runs: 128 MiB of what was read are kept outside of it. */
const MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 12 };

export interface MountsParts {
  readonly home: Home;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: { now(): number };
  readonly changes: Pick<StateChanges, 'notify'>;
}

/** A set of which the restore points are mounted. */
export interface MountedSource {
  readonly set: string;
  readonly device?: string | undefined;
  readonly destination?: string | undefined;
}

interface Mount {
  readonly source: MountedSource;
  readonly since: number;
  readonly folder: string;
  readonly client: CallClient<MountThreadCalls, MountThreadEvents>;
  readonly ended: Promise<void>;
  isEnding: boolean;
  isBusy: boolean;
}

/** The restore points that are open in a file manager, each set in a thread of its own. They end with this process. */
export class Mounts {
  readonly #parts: MountsParts;
  readonly #mounts = new Map<number, Mount>();
  readonly #beginning = new Map<string, Promise<MountState>>();
  #last = 0;
  #isClosed = false;

  constructor(parts: MountsParts) {
    this.#parts = parts;
  }

  /** Oldest first. */
  get states(): readonly MountState[] {
    return [...this.#mounts].map(([id, mount]) => stateOf(id, mount));
  }

  /** Mounts a set, unless it is mounted. @throws HoldfastError `mount_failed`, and what the destination throws */
  async begin(source: MountedSource): Promise<MountState> {
    if (this.#isClosed) throw new HoldfastError('interrupted');
    const key = keyOf(source);
    const known = [...this.#mounts].find(([, mount]) => keyOf(mount.source) === key && !mount.isEnding);
    if (known) return stateOf(...known);
    const begun = this.#beginning.get(key) ?? this.#begin(source).finally(() => this.#beginning.delete(key));
    this.#beginning.set(key, begun);
    return await begun;
  }

  /** Ends a mount: once no program uses it any more, or at once. Does nothing if it has ended. */
  end(id: number, detaches = false): void {
    const mount = this.#mounts.get(id);
    if (!mount) return;
    mount.isEnding = true;
    void mount.client.call('end', { detaches }).catch(() => undefined);
    this.#parts.changes.notify();
  }

  /** Ends all at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#beginning.values());
    const open = [...this.#mounts];
    for (const [id] of open) this.end(id, true);
    await Promise.all(open.map(([, { ended }]) => ended));
  }

  async #begin(source: MountedSource): Promise<MountState> {
    const { home, environment, clock, changes } = this.#parts;
    const id = (this.#last += 1);
    const folder = this.#folderFor(source, id);
    const setup: MountThreadSetup = {
      home: home.folder,
      environment: { ...environment },
      destination: source.destination,
    };
    const worker = new Worker(new URL('./mount-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: MEMORY,
      // The file system closes descriptors that Node has not opened.
      trackUnmanagedFds: false,
    });
    const mounted = Promise.withResolvers<void>();
    const client = new CallClient<MountThreadCalls, MountThreadEvents>(
      workerPort(worker, (code) => new Error(`the thread of a mount ended with code ${code}`)),
      {
        listeners: {
          mounted: () => mounted.resolve(),
          busy: () => {
            const mount = this.#mounts.get(id);
            if (mount) mount.isBusy = true;
            changes.notify();
          },
        },
      },
    );
    const { set, device } = source;
    const options = { set, ...(device === undefined ? {} : { device }), mountpoint: folder, isForOthers: false };
    const ended = client.call('mount', { ...options, trigger: 'person' }).then(
      () => mounted.reject(new HoldfastError('interrupted')),
      (error: unknown) => mounted.reject(error),
    );
    const tidyUp = async (): Promise<void> => {
      await ended;
      this.#mounts.delete(id);
      removeEmpty(folder);
      changes.notify();
    };
    void tidyUp();
    await mounted.promise;
    const mount = { source, since: clock.now(), folder, client, ended, isEnding: false, isBusy: false };
    this.#mounts.set(id, mount);
    changes.notify();
    return stateOf(id, mount);
  }

  /** Makes the folder of a mount in the home, which no backup contains. */
  #folderFor({ set }: MountedSource, id: number): string {
    const parent = join(this.#parts.home.folder, 'mounts');
    const name = nameOf(set);
    const isTaken = [...this.#mounts.values()].some(({ folder }) => folder === join(parent, name));
    const folder = join(parent, isTaken ? `${name} ${id}` : name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
}

/** Bytes of the name of a folder, with room for a number. */
const MOST_NAME_BYTES = 240;

/** The name of a set as that of a folder. */
function nameOf(set: string): string {
  let name = set.replaceAll(/[/\0]/g, '-');
  while (Buffer.byteLength(name) > MOST_NAME_BYTES) name = Array.from(name).slice(0, -1).join('');
  return /^\.{1,2}$/.test(name) ? `set ${name}` : name;
}

function keyOf({ set, device, destination }: MountedSource): string {
  return JSON.stringify([set, device, destination]);
}

function stateOf(id: number, { source, folder, since, isEnding, isBusy }: Mount): MountState {
  return { id, set: source.set, folder, since, isEnding, isBusy };
}

/** A folder that is not empty is not ours to remove. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The next mount uses it again.
  }
}
