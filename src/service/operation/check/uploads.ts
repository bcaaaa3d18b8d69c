import { request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { LARGEST_UPLOAD, UPLOAD_CHECK_PATH } from '../upload-check.ts';
import { failed, inTime, ok, reasonOf, warning } from './finding.ts';
import type { Finding } from './finding.ts';

/** Time limit, since the bytes may pass a slow line. */
const PATIENCE = 120_000;

/** Milliseconds after which the bytes are sent to a proxy that does not say that it waits for them. */
const UNASKED = 2_000;

const PIECE = Buffer.alloc(2 ** 20);

const answerOfService = z.object({ bytes: z.number(), forwarded: z.boolean() });

/**
 * Sends a request of the largest size to a service at its public address; the service drops its bytes.
 *
 * @param trustsProxies whether a proxy is expected to tell who its clients are
 */
export async function checkUploads(url: URL, trustsProxies: boolean): Promise<readonly Finding[]> {
  const size = `${Math.floor(LARGEST_UPLOAD / 2 ** 20)} MiB`;
  try {
    const { status, body } = await inTime(upload(new URL(url.href.replace(/\/*$/, UPLOAD_CHECK_PATH))), PATIENCE);
    if (status === 413) return [failed('proxy', `${url.origin} refuses a request of ${size} (413): ${REMEDY}`)];
    const answer = answerOfService.safeParse(body);
    if (status !== 200 || !answer.success || answer.data.bytes !== LARGEST_UPLOAD) {
      return [failed('proxy', `${url.origin} does not pass a request of ${size} on (${status}): ${REMEDY}`)];
    }
    const findings = [ok('proxy', `${url.origin} passes a request of ${size}.`)];
    if (trustsProxies && !answer.data.forwarded) findings.push(warning('proxy', UNKNOWN_CLIENTS));
    return findings;
  } catch (error) {
    return [failed('proxy', `${url.origin} breaks off a request of ${size} (${reasonOf(error)}): ${REMEDY}`)];
  }
}

const REMEDY =
  'the proxy must not limit size or time. In nginx, set "client_max_body_size 0" (deploy/nginx/holdfast.conf).';

const UNKNOWN_CLIENTS =
  'The proxy does not tell who its clients are, so they share the limits of one address: let it set X-Forwarded-For.';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends the head first, like curl, so that a refusal arrives before the bytes. */
function upload(url: URL): Promise<Answer> {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': LARGEST_UPLOAD,
    expect: '100-continue',
  };
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const outgoing = send(url, { method: 'PUT', headers, agent: false });
  return new Promise<Answer>((resolve, reject) => {
    const timer = setTimeout(() => sendBytes(outgoing), UNASKED);
    outgoing.once('continue', () => {
      clearTimeout(timer);
      sendBytes(outgoing);
    });
    outgoing.once('response', (incoming) => {
      clearTimeout(timer);
      // Later errors are those of bytes that nobody reads.
      void answerOf(incoming).then(resolve, reject);
    });
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  }).finally(() => outgoing.destroy());
}

async function answerOf(incoming: IncomingMessage): Promise<Answer> {
  return { status: incoming.statusCode ?? 0, body: await json(incoming).catch(() => undefined) };
}

function sendBytes(outgoing: ClientRequest): void {
  if (outgoing.writableEnded || outgoing.destroyed) return;
  Readable.from(pieces()).pipe(outgoing);
}

function* pieces(): Generator<Buffer> {
  for (let left = LARGEST_UPLOAD; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length));
}
