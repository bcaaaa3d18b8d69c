import type { Transferable } from 'node:worker_threads';
import type { CallInput, CallOutput, CallsOf } from './call-client.ts';
import type { ClientMessage, ServerMessage } from './messages.ts';
import type { Port } from './port.ts';
import { errorCodec, type ErrorCodec } from './sent-error.ts';

/** The context of a call, for its handler. */
export interface CallContext {
  /** Aborted when the caller's signal is. */
  readonly signal: AbortSignal;
}

/** A value with objects in it that move to the other side instead of being copied. */
export class Moved<Value> {
  readonly value: Value;
  readonly transfer: readonly Transferable[];

  constructor(value: Value, transfer: readonly Transferable[] = []) {
    this.value = value;
    this.transfer = transfer;
  }
}

export type CallHandler = (name: string, input: unknown, context: CallContext) => unknown;

type Handled<Value> = Value | Moved<Value>;

/** One handler for each call. */
export type CallHandlers<Calls extends CallsOf<Calls>> = {
  readonly [Name in keyof Calls]: (
    input: CallInput<Calls, Name>,
    context: CallContext,
  ) => Handled<CallOutput<Calls, Name>> | Promise<Handled<CallOutput<Calls, Name>>>;
};

export interface ServeOptions {
  readonly errors?: ErrorCodec;
  /** Checks a message of another process by throwing; messages that it rejects are ignored. */
  readonly parse?: (message: unknown) => ClientMessage;
  /** Called after the answer to a call was sent. */
  readonly onAnswered?: (name: string) => void;
}

/** Sends an event to the client. */
export type Emit<Events> = <Name extends Extract<keyof Events, string>>(name: Name, value: Events[Name]) => void;

/** Performs the calls that come over a port. The client is a `CallClient`. */
export function serveCalls<Events = object>(
  port: Port,
  handle: CallHandler,
  { errors = errorCodec, parse, onAnswered }: ServeOptions = {},
): Emit<Events> {
  const running = new Map<number, LazyContext>();
  const send = (message: ServerMessage, transfer?: readonly Transferable[]): void => port.post(message, transfer);

  async function perform({ id, name, input }: Extract<ClientMessage, { kind: 'call' }>): Promise<void> {
    const context = new LazyContext();
    running.set(id, context);
    try {
      const result = await handle(name, input, context);
      if (result instanceof Moved) send({ kind: 'value', id, value: result.value as unknown }, result.transfer);
      else send({ kind: 'value', id, value: result });
    } catch (error) {
      send({ kind: 'error', id, error: errors.encode(error) });
    } finally {
      running.delete(id);
    }
    onAnswered?.(name);
  }

  port.onMessage((message) => {
    const checked = check(message, parse);
    if (checked?.kind === 'call') void perform(checked);
    else if (checked) running.get(checked.id)?.abort(errors.decode(checked.reason));
  });
  return (name, value) => send({ kind: 'event', name, value });
}

/** A handler that picks one of several by the name of the call. */
export function byName<Calls extends CallsOf<Calls>>(handlers: CallHandlers<Calls>): CallHandler {
  return (name, input, context) => handlers[name as keyof Calls](input as never, context);
}

/** Makes its controller when a handler first reads the signal: most calls cannot be aborted. */
class LazyContext implements CallContext {
  #controller: AbortController | undefined;
  #reason: { readonly value: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason) this.#controller.abort(this.#reason.value);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#reason = { value: reason };
    this.#controller?.abort(reason);
  }
}

function check(message: unknown, parse: ServeOptions['parse']): ClientMessage | undefined {
  if (!parse) return message as ClientMessage;
  try {
    return parse(message);
  } catch {
    return undefined;
  }
}
