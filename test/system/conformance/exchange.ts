import { Departure } from './clause.ts';

/** One response, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body as JSON; `undefined` for any other body. */
  readonly json: unknown;
}

export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer<ArrayBuffer>;
}

/** @throws TypeError without a response */
export async function exchange({ method, url, token, headers, body }: Sent): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'error',
    headers: {
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, json: asJson(bytes) };
}

/** Returns a successful response. The interface documents no status, so any 2xx is valid. */
export function good(what: string, answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Departure(`${what} answered ${answer.status}${detailOf(answer)}`);
}

/** Expects an error response. The interface documents no status, so any 4xx is valid; a 5xx is a violation. */
export function refused(what: string, answer: Answer): Answer {
  if (answer.status >= 400 && answer.status < 500) return answer;
  throw new Departure(`${what} answered ${answer.status}`);
}

/** Expects rejected credentials: 401 or 403. */
export function notAllowed(what: string, answer: Answer): Answer {
  if (answer.status === 401 || answer.status === 403) return answer;
  throw new Departure(`${what} answered ${answer.status}`);
}

/** @throws Departure if an error response contains what it should deny */
export function withoutTokens(what: string, answer: Answer): Answer {
  const text = answer.bytes.toString('utf8');
  const leaked = /"(access_token|refresh_token)"/.exec(text)?.[1];
  if (leaked === undefined) return answer;
  throw new Departure(`${what} carries ${leaked}`);
}

function asJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the short text of an error response for people. */
function detailOf({ bytes }: Answer): string {
  const text = bytes.toString('utf8').trim();
  return text === '' || text.length > 300 ? '' : `: ${text}`;
}
