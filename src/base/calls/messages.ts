import { z } from 'zod';

/** A message from the side that calls. */
export type ClientMessage =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly input: unknown }
  /** The call's signal was aborted; the call still returns. */
  | { readonly kind: 'abort'; readonly id: number; readonly reason: unknown };

/** A message from the side that performs calls. */
export type ServerMessage =
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown }
  /** `error` is encoded, since errors lose their class on the way. */
  | { readonly kind: 'error'; readonly id: number; readonly error: unknown }
  | { readonly kind: 'event'; readonly name: string; readonly value: unknown };

const callMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), id: z.int(), name: z.string(), input: z.unknown() }),
  z.object({ kind: z.literal('abort'), id: z.int(), reason: z.unknown() }),
]);

/** Checks a message of another process; threads of the same process are trusted. @throws ZodError */
export function parseClientMessage(message: unknown): ClientMessage {
  return callMessage.parse(message);
}

/**
 * Returns the check for messages of another process.
 *
 * @param value the schema of every call's value
 * @param events the schema of each event's value by the name of the event
 */
export function serverMessageParser(
  value: z.ZodType,
  events: Readonly<Record<string, z.ZodType>> = {},
): (message: unknown) => ServerMessage {
  const schema = z.union([
    z.object({ kind: z.literal('value'), id: z.int(), value }),
    z.object({ kind: z.literal('error'), id: z.int(), error: z.unknown() }),
    ...Object.entries(events).map(([name, of]) =>
      z.object({ kind: z.literal('event'), name: z.literal(name), value: of }),
    ),
  ]);
  return (message) => schema.parse(message);
}
