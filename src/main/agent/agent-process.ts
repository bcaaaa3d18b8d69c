import type { Answer } from '../../base/calls/answer.ts';
import type { AgentTrouble, AppState } from '../../ipc/state.ts';
import { fromAgent } from '../../ipc/agent-events.ts';
import type { Notice, ToAgent } from '../../ipc/agent-events.ts';

/** A process that was started, as far as it is needed here. */
export interface AgentChild {
  readonly post: (message: ToAgent) => void;
  readonly kill: () => void;
}

/** Starts the process; what it sends and that it ended is told, each exactly as it happens. */
export type ForkAgent = (events: {
  readonly onMessage: (message: unknown) => void;
  readonly onExit: (code: number) => void;
  /** What it writes where errors go. */
  readonly onError: (text: string) => void;
}) => AgentChild;

export interface AgentEvents {
  readonly onState: (state: AppState) => void;
  readonly onNotice: (notice: Notice) => void;
  readonly onBrowse: (url: string) => void;
  /** It ended though nobody asked it to, and is started again at `restartsAt` (milliseconds since the epoch). */
  readonly onGone: (restartsAt: number) => void;
  /** It does not start, as far as can be told; until the next state. */
  readonly onTrouble: (trouble: AgentTrouble) => void;
}

/** The first restart follows at once, and each one that fails waits twice as long. */
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 60_000;
/** Who has worked for so long has started well. */
const SETTLED_MS = 60_000;
/** Once may be bad luck. */
const ENDS_THAT_TELL = 2;
/** An agent that has said nothing by then may never do. */
const SILENCE_MS = 12_000;
/** Of its errors; the cause stands near the end. */
const LINES_KEPT = 12;
const LONGEST_LINE = 400;

/** What a person asks waits for a starting agent for so long. */
const PATIENCE_MS = 30_000;
/** Chunks in flight may have to go over a slow line; what they cost otherwise is sent again, no more. */
const STOP_MS = 20_000;

const GONE: Answer = { ok: false, failure: { code: 'agent_gone', details: {} } };

interface Pending {
  readonly message: ToAgent;
  readonly answer: (answer: Answer) => void;
  readonly patience: NodeJS.Timeout;
}

/** Keeps the agent's process running, and asks it. */
export class AgentProcess {
  readonly #fork: ForkAgent;
  readonly #events: AgentEvents;
  readonly #calls = new Map<number, Pending>();
  #child: AgentChild | undefined;
  #isReady = false;
  #isStopping = false;
  #lastCall = 0;
  #startedAt = 0;
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** This process has told how things stand. */
  #hasTold = false;
  /** Processes that ended without having told anything, one after the other. */
  #mute = 0;
  #errors = '';
  #trouble: AgentTrouble['problem'] | undefined;
  #onStopped: (() => void) | undefined;

  constructor(fork: ForkAgent, events: AgentEvents) {
    this.#fork = fork;
    this.#events = events;
  }

  start(): void {
    this.#startedAt = Date.now();
    this.#hasTold = false;
    this.#errors = '';
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#troubled('silent'), SILENCE_MS);
    const child = this.#fork({
      onMessage: (message) => {
        if (child === this.#child) this.#receive(message);
      },
      onExit: () => {
        if (child === this.#child) this.#ended();
      },
      onError: (text) => this.#heardError(text),
    });
    this.#child = child;
  }

  /** Tries anew, at once: whoever asks for it may have mended what was wrong. */
  restart(): void {
    if (this.#isStopping) return;
    this.#failures = 0;
    this.#mute = 0;
    clearTimeout(this.#restart);
    if (this.#child) this.#child.kill();
    else this.start();
  }

  /** Never rejects. A call that was asked of a process that ends is answered with `agent_gone`: what became of it is not known. */
  call(method: string, input: unknown): Promise<Answer> {
    if (this.#isStopping) return Promise.resolve(GONE);
    return this.#ask(method, input);
  }

  /** Lets it end what goes on in order; it is gone when this is answered. */
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
    if (this.#isReady) {
      await Promise.race([this.#ask('agent.stop', {}), stopped]);
    }
    child.kill();
    await stopped;
    clearTimeout(limit);
  }

  #ask(method: string, input: unknown): Promise<Answer> {
    this.#lastCall += 1;
    const message: ToAgent = { kind: 'call', id: this.#lastCall, method, input };
    return new Promise((answer) => {
      const patience = setTimeout(() => this.#settle(message.id, GONE), PATIENCE_MS);
      this.#calls.set(message.id, { message, answer, patience });
      if (this.#isReady) this.#send(message);
    });
  }

  #send(message: ToAgent): void {
    clearTimeout(this.#calls.get(message.id)?.patience);
    this.#child?.post(message);
  }

  #settle(id: number, answer: Answer): void {
    const pending = this.#calls.get(id);
    if (!pending) return;
    clearTimeout(pending.patience);
    this.#calls.delete(id);
    pending.answer(answer);
  }

  #receive(message: unknown): void {
    const { success, data } = fromAgent.safeParse(message);
    // A message that is none of ours says that something is wrong with the process, and nothing that it says can be used.
    if (!success) return this.#child?.kill();
    switch (data.kind) {
      case 'ready':
        this.#isReady = true;
        for (const pending of this.#calls.values()) this.#send(pending.message);
        return;
      case 'answer':
        return this.#settle(data.id, data.answer);
      case 'state':
        this.#hasTold = true;
        this.#mute = 0;
        this.#trouble = undefined;
        clearTimeout(this.#silence);
        return this.#events.onState(data.state);
      case 'notice':
        return this.#events.onNotice(data.notice);
      case 'browse':
        return this.#events.onBrowse(data.url);
    }
  }

  #ended(): void {
    const hadStarted = this.#isReady;
    clearTimeout(this.#silence);
    this.#child = undefined;
    this.#isReady = false;
    // What waits for a starting process was never sent, and may wait on.
    if (hadStarted || this.#isStopping) for (const id of this.#calls.keys()) this.#settle(id, GONE);
    if (this.#isStopping) return this.#onStopped?.();
    const hasSettled = hadStarted && Date.now() - this.#startedAt >= SETTLED_MS;
    this.#failures = hasSettled ? 0 : this.#failures + 1;
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    this.#restart = setTimeout(() => this.start(), delay);
    this.#events.onGone(Date.now() + delay);
    if (!this.#hasTold) this.#mute += 1;
    if (this.#mute >= ENDS_THAT_TELL) this.#troubled('ends');
  }

  #heardError(text: string): void {
    this.#errors = `${this.#errors}${text}`.slice(-LINES_KEPT * LONGEST_LINE);
    // The last words may come after the end.
    if (this.#trouble) this.#troubled(this.#trouble);
  }

  #troubled(problem: AgentTrouble['problem']): void {
    this.#trouble = problem;
    const lines = this.#errors.split('\n').filter((line) => line.trim() !== '');
    const last = lines.slice(-LINES_KEPT).map((line) => line.slice(0, LONGEST_LINE));
    this.#events.onTrouble({ problem, lines: last });
  }
}
