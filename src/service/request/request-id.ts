import { newIdentifier } from '../identifier.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

/** Permitted form of a client's id, which goes into logs and headers unchanged. */
const ACCEPTABLE = /^[A-Za-z0-9][\w.:-]{7,63}$/;

/** Returns the client's id if it is valid, else a new one. */
export function requestId(given: string | null): string {
  return given !== null && ACCEPTABLE.test(given) ? given : newIdentifier('req');
}
