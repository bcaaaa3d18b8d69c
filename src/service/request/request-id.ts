import { newIdentifier } from '../identifier.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

/** What a client's own id may look like: it goes into logs and headers as it is. */
const ACCEPTABLE = /^[A-Za-z0-9][\w.:-]{7,63}$/;

/** The client's id where it is harmless, else a new one. */
export function requestId(given: string | null): string {
  return given !== null && ACCEPTABLE.test(given) ? given : newIdentifier('req');
}
