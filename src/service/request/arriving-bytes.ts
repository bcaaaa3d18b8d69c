import { ServiceProblem } from './problem.ts';

/**
 * Returns the bytes of a body as they arrive; none if there is no body.
 *
 * @throws ServiceProblem `malformed_request` while reading, if the client ends the connection before the body is complete
 */
export async function* arrivingBytes({ body }: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* (body ?? []) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new ServiceProblem('malformed_request', { detail: 'the connection ended before the body', cause });
  }
}
