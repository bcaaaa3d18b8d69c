import type { UpdateState } from '../../ipc/contract/update.ts';
import type { ProgramChange } from './program-watch.ts';
import { problemOf } from './update-problem.ts';
import type { UpdateWay } from './update-settings.ts';

/** A newer version. */
export interface Offer {
  readonly version: string;
  /** Markdown. */
  readonly notes: string | undefined;
}

/** Finds, downloads and installs a version. All can throw `UpdateProblem`, and errors of the library. */
export interface UpdateEngine {
  /** Returns `undefined` if there is no higher version, or none for this computer yet. */
  readonly check: () => Promise<Offer | undefined>;
  readonly download: (onPercent: (percent: number) => void) => Promise<void>;
  /** Replaces the program and starts it again; when it resolves, the caller ends this one. */
  readonly install: () => Promise<void>;
}

export interface UpdateParts {
  readonly way: UpdateWay;
  readonly isForbidden: () => boolean;
  readonly engine: () => UpdateEngine;
  readonly programChange: () => ProgramChange | undefined;
  /** Ends the agent's work; returns false during a run. */
  readonly prepare: () => Promise<boolean>;
  /** Starts the agent again after `prepare`. */
  readonly resume: () => void;
  /** Called before `install` of the engine. */
  readonly onInstall: (isHidden: boolean) => void;
  /** Starts the program that is installed now; the caller ends this one. */
  readonly startAgain: (isHidden: boolean) => void;
  readonly end: () => void;
  readonly isWindowOpen: () => boolean;
  readonly now: () => number;
  readonly changed: () => void;
}

/** What the agent's state says about updates. */
export interface UpdateFacts {
  readonly isWanted: boolean;
  readonly hasRuns: boolean;
}

const CHECK_EVERY_MS = 24 * 3_600_000;
/** After a failure, which may be a network that is not there yet. */
const RETRY_MS = 3_600_000;

/** Keeps the program up to date. Nothing is looked for, downloaded or installed during a run. */
export class Updates {
  readonly #parts: UpdateParts;
  #state: UpdateState = { kind: 'current' };
  #facts: UpdateFacts | undefined;
  #offer: Offer | undefined;
  #checkedAt: number | undefined;
  #isWorking = false;
  #isRemoved = false;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  get state(): UpdateState {
    const { way, isForbidden } = this.#parts;
    if (this.#state.kind === 'replaced') return this.#state;
    if (way === 'none' || way === 'package-manager') return { kind: way };
    if (isForbidden()) return { kind: 'off', by: 'administrator' };
    if (this.#facts?.isWanted === false) return { kind: 'off', by: 'person' };
    return this.#state;
  }

  get offer(): Offer | undefined {
    return this.#offer;
  }

  /** Called with each state of the agent. */
  update(facts: UpdateFacts): void {
    this.#facts = facts;
  }

  /** Called regularly, a few times a minute. */
  async tick(): Promise<void> {
    const change = this.#parts.programChange();
    if (change === 'replaced') this.#set({ kind: 'replaced' });
    if (change === 'removed') this.#isRemoved = true;
    if (this.#isRemoved && (await this.#mayEnd())) return this.#parts.end();
    const { kind } = this.state;
    // A person who looks at the window decides; without a window nobody notices.
    if ((kind === 'ready' || kind === 'replaced') && !this.#parts.isWindowOpen()) await this.install(true);
    else if (this.#isDue(kind)) await this.check();
  }

  /** Looks for a newer version and downloads it. Does nothing during a run, or where updates are off. */
  async check(): Promise<void> {
    const { engine, now, way } = this.#parts;
    if (this.#isWorking || !this.#mayLook()) return;
    this.#isWorking = true;
    this.#set({ kind: 'checking' });
    try {
      const updates = engine();
      const offer = await updates.check();
      this.#offer = offer;
      if (!offer) this.#set({ kind: 'current', checkedAt: now() });
      else if (way === 'archive') this.#set({ kind: 'offered', version: offer.version });
      else await this.#download(updates, offer);
    } catch (error) {
      this.#set({ kind: 'failed', problem: problemOf(error), at: now() });
    } finally {
      this.#checkedAt = now();
      this.#isWorking = false;
    }
  }

  /** Ends this program and starts the new version. Returns false if that is not possible now. */
  async install(isHidden: boolean): Promise<boolean> {
    const { prepare, resume, engine, onInstall, startAgain, end, now } = this.#parts;
    const { kind } = this.state;
    if ((kind !== 'ready' && kind !== 'replaced') || this.#isWorking || !(await prepare())) return false;
    try {
      if (kind === 'ready') {
        onInstall(isHidden);
        await engine().install();
      } else startAgain(isHidden);
    } catch {
      this.#set({ kind: 'failed', problem: 'install', at: now() });
      resume();
      return false;
    }
    end();
    return true;
  }

  async #download(updates: UpdateEngine, { version }: Offer): Promise<void> {
    // A run may have begun during the check.
    if (!this.#mayLook()) return this.#set({ kind: 'current' });
    this.#set({ kind: 'downloading', version, percent: 0 });
    await updates.download((percent) => this.#set({ kind: 'downloading', version, percent: Math.floor(percent) }));
    this.#set({ kind: 'ready', version });
  }

  /** A removed program has nothing to start again: it ends once nothing is running. */
  async #mayEnd(): Promise<boolean> {
    return this.#facts?.hasRuns !== true && (await this.#parts.prepare());
  }

  #mayLook(): boolean {
    const { kind } = this.state;
    return ['current', 'checking', 'offered', 'failed'].includes(kind) && this.#facts?.hasRuns === false;
  }

  #isDue(kind: UpdateState['kind']): boolean {
    const since = this.#parts.now() - (this.#checkedAt ?? Number.NEGATIVE_INFINITY);
    if (kind === 'failed') return since >= RETRY_MS;
    return (kind === 'current' || kind === 'offered') && since >= CHECK_EVERY_MS;
  }

  #set(state: UpdateState): void {
    this.#state = state;
    this.#parts.changed();
  }
}
