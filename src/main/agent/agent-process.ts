import { CallClient } from '../../base/calls/call-client.ts';
import { answer as answerSchema } from '../../base/calls/answer.ts';
import type { Answer } from '../../base/calls/answer.ts';
import { serverMessageParser } from '../../base/calls/messages.ts';
import type { Port } from '../../base/calls/port.ts';
import { agentEvents } from '../../ipc/agent-events.ts';
import type { AgentEvents, Notice } from '../../ipc/agent-events.ts';
import type { AgentTrouble } from '../../ipc/home-state.ts';
import type { AppState } from '../../ipc/state.ts';
import { MINUTE } from '../../model/units.ts';

/** The agent's process, as far as it is needed here. */
export interface AgentChild extends Port {
  readonly kill: () => void;
  /** The listener is called with what the process writes to its standard error, also after its end. */
  readonly onErrorOutput: (listener: (text: string) => void) => void;
}

/** The end of the agent's process, with what the system says of it: of a native crash the number of the signal, or with 128 added. */
export class AgentEnd extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`the agent ended with code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Starts the agent's process. */
export type ForkAgent = () => AgentChild;

export interface AgentListeners {
  readonly onState: (state: AppState) => void;
  readonly onNotice: (notice: Notice) => void;
  readonly onBrowse: (url: string) => void;
  /** A report by mail is due. */
  readonly onReportDue?: () => void;
  /** The agent ended unexpectedly, and is restarted at `restartsAt` (milliseconds since the epoch). */
  readonly onExit: (restartsAt: number, exitCode: number | undefined) => void;
  /** The agent wrote to its error output. */
  readonly onErrorOutput?: (text: string) => void;
  /** The agent apparently does not start; valid until the next state. */
  readonly onTrouble: (trouble: AgentTrouble) => void;
}

/** The first restart follows at once; each one that fails doubles the delay. */
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = MINUTE;
/** An agent that ran for this long counts as started well. */
const SETTLED_MS = MINUTE;
/** One early end may be chance; this many in a row are reported. */
const EARLY_ENDS_REPORTED = 2;
/** An agent that has sent no state by then may never do. */
const SILENCE_MS = 12_000;
/** Lines of error output that are kept; the cause is near the end. */
const LINES_KEPT = 12;
const LONGEST_LINE = 400;

/** The time for which calls wait for a starting agent. */
const PATIENCE_MS = 30_000;
/** Chunks in flight may have to go over a slow line; otherwise they are only sent again. */
const STOP_MS = 20_000;

const GONE: Answer = { ok: false, failure: { code: 'agent_gone', details: {} } };

/** Calls pass through as they are: the agent checks their input, and the caller checks the answer. */
type AgentClient = CallClient<Record<string, (input: unknown) => Answer>, AgentEvents>;

const parse = serverMessageParser(answerSchema, agentEvents);

/** Keeps the agent's process running, and passes calls to it. */
export class AgentProcess {
  readonly #fork: ForkAgent;
  readonly #listeners: AgentListeners;
  /** Calls that wait for the agent to start; called with `undefined` when it will not. */
  readonly #waiting = new Set<(client: AgentClient | undefined) => void>();
  #child: AgentChild | undefined;
  /** Is set while the agent accepts calls. */
  #client: AgentClient | undefined;
  #isStopping = false;
  #startedAt = 0;
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** This process has sent a state. */
  #hasReported = false;
  /** The number of processes in a row that ended without having sent a state. */
  #earlyEnds = 0;
  #errors = '';
  #trouble: AgentTrouble['problem'] | undefined;
  #onStopped: (() => void) | undefined;

  constructor(fork: ForkAgent, listeners: AgentListeners) {
    this.#fork = fork;
    this.#listeners = listeners;
  }

  start(): void {
    this.#startedAt = Date.now();
    this.#hasReported = false;
    this.#errors = '';
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#reportTrouble('silent'), SILENCE_MS);
    const child = this.#fork();
    const ifCurrent =
      <Value>(listener: (value: Value) => void) =>
      (value: Value): void => {
        if (child === this.#child) listener(value);
      };
    const client: AgentClient = new CallClient(child, {
      parse,
      // A process that sends invalid messages is broken, and none of them can be used.
      onInvalid: () => child.kill(),
      listeners: {
        ready: ifCurrent(() => this.#accept(client)),
        state: ifCurrent((state: AppState) => this.#receiveState(state)),
        notice: ifCurrent((notice: Notice) => this.#listeners.onNotice(notice)),
        browse: ifCurrent((url: string) => this.#listeners.onBrowse(url)),
        reportDue: ifCurrent(() => this.#listeners.onReportDue?.()),
      },
    });
    child.onEnd((reason) => {
      if (child === this.#child) this.#ended(reason instanceof AgentEnd ? reason.exitCode : undefined);
    });
    child.onErrorOutput((text) => this.#receiveError(text));
    this.#child = child;
  }

  /** Restarts the agent at once, for a person who may have removed the cause of its failures. */
  restart(): void {
    if (this.#isStopping) return;
    this.#failures = 0;
    this.#earlyEnds = 0;
    clearTimeout(this.#restart);
    if (this.#child) this.#child.kill();
    else this.start();
  }

  /** Never rejects. Returns `agent_gone` if the process ends during the call: its outcome is unknown then. */
  call(method: string, input: unknown): Promise<Answer> {
    if (this.#isStopping) return Promise.resolve(GONE);
    return this.#call(method, input);
  }

  /** Lets the agent finish its work gracefully; resolves when its process has ended. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearTimeout(this.#restart);
    clearTimeout(this.#silence);
    const child = this.#child;
    if (!child) return;
    const stopped = new Promise<void>((resolve) => {
      this.#onStopped = resolve;
    });
    const limit = setTimeout(() => child.kill(), STOP_MS);
    if (this.#client) await Promise.race([this.#call('agent.stop', {}), stopped]);
    child.kill();
    await stopped;
    clearTimeout(limit);
  }

  #call(method: string, input: unknown): Promise<Answer> {
    const send = (client: AgentClient): Promise<Answer> => client.call(method, input).catch(() => GONE);
    if (this.#client) return send(this.#client);
    return new Promise((resolve) => {
      const proceed = (client: AgentClient | undefined): void => {
        clearTimeout(patience);
        this.#waiting.delete(proceed);
        resolve(client ? send(client) : GONE);
      };
      const patience = setTimeout(() => proceed(undefined), PATIENCE_MS);
      this.#waiting.add(proceed);
    });
  }

  #accept(client: AgentClient): void {
    this.#client = client;
    for (const proceed of this.#waiting) proceed(client);
  }

  #receiveState(state: AppState): void {
    this.#hasReported = true;
    this.#earlyEnds = 0;
    this.#trouble = undefined;
    clearTimeout(this.#silence);
    this.#listeners.onState(state);
  }

  #ended(exitCode: number | undefined): void {
    const hadStarted = this.#client !== undefined;
    clearTimeout(this.#silence);
    this.#child = undefined;
    this.#client = undefined;
    if (this.#isStopping) {
      for (const proceed of this.#waiting) proceed(undefined);
      return this.#onStopped?.();
    }
    // Calls that wait for a starting process were never sent, and continue to wait.
    const hasSettled = hadStarted && Date.now() - this.#startedAt >= SETTLED_MS;
    this.#failures = hasSettled ? 0 : this.#failures + 1;
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    this.#restart = setTimeout(() => this.start(), delay);
    this.#listeners.onExit(Date.now() + delay, exitCode);
    if (!this.#hasReported) this.#earlyEnds += 1;
    if (this.#earlyEnds >= EARLY_ENDS_REPORTED) this.#reportTrouble('ends');
  }

  #receiveError(text: string): void {
    this.#listeners.onErrorOutput?.(text);
    this.#errors = `${this.#errors}${text}`.slice(-LINES_KEPT * LONGEST_LINE);
    // The last lines may arrive after the end of the process.
    if (this.#trouble) this.#reportTrouble(this.#trouble);
  }

  #reportTrouble(problem: AgentTrouble['problem']): void {
    this.#trouble = problem;
    const lines = this.#errors.split('\n').filter((line) => line.trim() !== '');
    const last = lines.slice(-LINES_KEPT).map((line) => line.slice(0, LONGEST_LINE));
    this.#listeners.onTrouble({ problem, lines: last });
  }
}
