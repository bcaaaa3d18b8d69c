import type { UpdateState } from '../../ipc/contract/update.ts';
import type { ProgramChange } from './program-watch.ts';
import { problemOf } from './update-problem.ts';
import type { UpdateWay } from './update-settings.ts';
import { DAY, HOUR } from '../../model/units.ts';

/** A newer version. */
export interface Offer {
  readonly version: string;
  /** Markdown. */
  readonly notes: string | undefined;
  /** It does not run on this computer's system, and is only named. */
  readonly isSystemTooOld: boolean;
}

/** Finds, downloads and installs a version. All can throw `UpdateProblem`, and errors of the library. */
export interface UpdateEngine {
  /** Returns `undefined` if there is no higher version, or none for this computer yet. */
  readonly check: () => Promise<Offer | undefined>;
  readonly download: (onPercent: (percent: number) => void, signal: AbortSignal) => Promise<void>;
  /** Verifies the download again, replaces the program and starts it; when it resolves, the caller ends this one. */
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
  readonly startAgain: (isHidden: boolean) => Promise<void>;
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

const CHECK_EVERY_MS = DAY;
/** After a failure, which may be a network that is not there yet. */
const RETRY_MS = HOUR;

/** Keeps the program up to date. Nothing is looked for or installed during a run; a download goes on. */
export class Updates {
  readonly #parts: UpdateParts;
  #state: UpdateState = { kind: 'current' };
  #facts: UpdateFacts | undefined;
  #offer: Offer | undefined;
  #checkedAt: number | undefined;
  #download: AbortController | undefined;
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
    if (!facts.isWanted) this.#download?.abort();
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
    let isInterrupted = false;
    try {
      const updates = engine();
      const offer = await updates.check();
      this.#offer = offer;
      if (!offer) this.#set({ kind: 'current', checkedAt: now() });
      else if (offer.isSystemTooOld) this.#set({ kind: 'system-too-old', version: offer.version });
      else if (way === 'archive') this.#set({ kind: 'offered', version: offer.version });
      else isInterrupted = !(await this.#fetch(updates, offer));
    } catch (error) {
      this.#set({ kind: 'failed', problem: problemOf(error, 'network'), at: now() });
    } finally {
      // What was interrupted goes on as soon as it may.
      this.#checkedAt = isInterrupted ? undefined : now();
      this.#isWorking = false;
    }
  }

  /** Ends this program and starts the new version. Returns false if that is not possible now. */
  async install(isHidden: boolean): Promise<boolean> {
    const { prepare, resume, engine, onInstall, startAgain, end, now } = this.#parts;
    const { kind } = this.state;
    if ((kind !== 'ready' && kind !== 'replaced') || this.#isWorking) return false;
    this.#isWorking = true;
    try {
      if (!(await prepare())) return false;
      if (kind === 'ready') {
        onInstall(isHidden);
        await engine().install();
      } else await startAgain(isHidden);
    } catch (error) {
      this.#checkedAt = now();
      this.#set({ kind: 'failed', problem: problemOf(error, 'install'), at: now() });
      resume();
      return false;
    } finally {
      this.#isWorking = false;
    }
    end();
    return true;
  }

  /** Downloads a version. Returns false if a setting prevented that. */
  async #fetch(updates: UpdateEngine, { version }: Offer): Promise<boolean> {
    // They may have been turned off during the check.
    if (this.state.kind !== 'checking') return this.#interrupted();
    let shown = -1;
    const show = (percent: number): void => {
      const whole = Math.floor(percent);
      if (whole !== shown) this.#set({ kind: 'downloading', version, percent: (shown = whole) });
    };
    show(0);
    this.#download = new AbortController();
    const { signal } = this.#download;
    try {
      await updates.download(show, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return this.#interrupted();
    } finally {
      this.#download = undefined;
    }
    this.#set({ kind: 'ready', version });
    return true;
  }

  #interrupted(): false {
    this.#set({ kind: 'current' });
    return false;
  }

  /** A removed program has nothing to start again: it ends once nothing is running. */
  async #mayEnd(): Promise<boolean> {
    return this.#facts?.hasRuns !== true && (await this.#parts.prepare());
  }

  #mayLook(): boolean {
    const { kind } = this.state;
    return ['current', 'offered', 'system-too-old', 'failed'].includes(kind) && this.#facts?.hasRuns === false;
  }

  #isDue(kind: UpdateState['kind']): boolean {
    const since = this.#parts.now() - (this.#checkedAt ?? Number.NEGATIVE_INFINITY);
    if (kind === 'failed') return since >= RETRY_MS;
    return ['current', 'offered', 'system-too-old'].includes(kind) && since >= CHECK_EVERY_MS;
  }

  #set(state: UpdateState): void {
    this.#state = state;
    this.#parts.changed();
  }
}
