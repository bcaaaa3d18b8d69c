import type { Transferable } from 'node:worker_threads';
import type { ClientMessage, ServerMessage } from './messages.ts';
import type { Port } from './port.ts';
import { errorCodec, type ErrorCodec } from './sent-error.ts';

/** The calls of a server by name: each takes one input and returns a value. */
export type CallsOf<Calls> = { readonly [Name in keyof Calls]: (input: never) => unknown };

export type CallInput<Calls extends CallsOf<Calls>, Name extends keyof Calls> = Parameters<Calls[Name]>[0];
export type CallOutput<Calls extends CallsOf<Calls>, Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>;

export interface CallOptions {
  /** Aborts the signal of the call on the other side, which decides how the call ends. */
  readonly signal?: AbortSignal | undefined;
  /** Objects in the input that move to the other side. */
  readonly transfer?: readonly Transferable[];
}

export interface CallClientOptions<Events> {
  readonly listeners?: { readonly [Name in keyof Events]: (value: Events[Name]) => void };
  readonly errors?: ErrorCodec;
  /** Checks a message of another process by throwing; messages between threads are trusted, which saves the parsing. */
  readonly parse?: (message: unknown) => ServerMessage;
  /** Called with a message that `parse` rejected. */
  readonly onInvalid?: () => void;
}

interface PendingCall {
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** Calls what another thread or process serves by `serveCalls`, and receives its events. */
export class CallClient<Calls extends CallsOf<Calls>, Events = object> {
  readonly #port: Port;
  readonly #options: CallClientOptions<Events>;
  readonly #errors: ErrorCodec;
  readonly #pending = new Map<number, PendingCall>();
  #nextId = 1;
  #ended: Error | undefined;

  constructor(port: Port, options: CallClientOptions<Events> = {}) {
    this.#port = port;
    this.#options = options;
    this.#errors = options.errors ?? errorCodec;
    port.onMessage((message) => this.#receive(message));
    port.onEnd((reason) => this.#end(reason));
  }

  /** The number of calls without an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /** True once the other side has ended: every call fails from then on. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Rejects with the other side's error, or with the reason of its end. */
  call<Name extends Extract<keyof Calls, string>>(
    name: Name,
    input: CallInput<Calls, Name>,
    { signal, transfer }: CallOptions = {},
  ): Promise<CallOutput<Calls, Name>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Promise<never>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    try {
      this.#send({ kind: 'call', id, name, input }, transfer);
    } catch (error) {
      this.#pending.delete(id);
      return Promise.reject(error);
    }
    return signal ? this.#abortable(id, signal, answer) : answer;
  }

  async #abortable<Output>(id: number, signal: AbortSignal, answer: Promise<Output>): Promise<Output> {
    const abort = (): void => this.#send({ kind: 'abort', id, reason: this.#errors.encode(signal.reason) });
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await answer;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #send(message: ClientMessage, transfer?: readonly Transferable[]): void {
    this.#port.post(message, transfer);
  }

  #receive(message: unknown): void {
    const checked = this.#check(message);
    if (!checked) return this.#options.onInvalid?.();
    if (checked.kind === 'event') {
      this.#options.listeners?.[checked.name as keyof Events](checked.value as never);
      return;
    }
    const pending = this.#pending.get(checked.id);
    this.#pending.delete(checked.id);
    if (checked.kind === 'value') pending?.resolve(checked.value as never);
    else pending?.reject(this.#errors.decode(checked.error));
  }

  #check(message: unknown): ServerMessage | undefined {
    const { parse } = this.#options;
    if (!parse) return message as ServerMessage;
    try {
      return parse(message);
    } catch {
      return undefined;
    }
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }
}
