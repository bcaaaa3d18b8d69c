import { Departure } from './clause.ts';

/** One answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body as JSON; nothing where it is something else. */
  readonly json: unknown;
}

export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer<ArrayBuffer>;
}

/** @throws TypeError where there is no answer */
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

/** The answer, where it is a good one. The interface shows no status for it, so each of 2xx is right. */
export function good(what: string, answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Departure(`${what} answered ${answer.status}${detailOf(answer)}`);
}

/** A refusal of the caller. No status is shown for any, so each of 4xx is right; but 5xx is a failure. */
export function refused(what: string, answer: Answer): Answer {
  if (answer.status >= 400 && answer.status < 500) return answer;
  throw new Departure(`${what} answered ${answer.status}`);
}

/** A refusal of credentials: 401 or 403. */
export function notAllowed(what: string, answer: Answer): Answer {
  if (answer.status === 401 || answer.status === 403) return answer;
  throw new Departure(`${what} answered ${answer.status}`);
}

/** @throws Departure where a refusal hands out what it refuses */
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

/** What a refusal says for people, where it is short. */
function detailOf({ bytes }: Answer): string {
  const text = bytes.toString('utf8').trim();
  return text === '' || text.length > 300 ? '' : `: ${text}`;
}
