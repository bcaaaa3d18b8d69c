import { billingNotice } from '../../protocol/billing.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../../protocol/webhooks.ts';
import { billingSecret } from '../billing/billing-secret.ts';
import { takeNotice } from '../billing/take-notice.ts';
import { ServiceProblem } from '../request/problem.ts';
import { isSignedBy } from '../webhooks/signature.ts';
import { jsonResponse } from '../request/answer.ts';
import { checked } from './body.ts';
import type { Route, RouteContext } from './routes.ts';

/** Far larger than any notice. */
const LONGEST_NOTICE = 64 * 1024;

/** Serves payment providers: authorised by a signature over the exact body instead of a bearer token. */
export function billingRoutes({ service }: RouteContext): readonly Route[] {
  return [
    {
      path: ENDPOINTS.billingNotices,
      methods: {
        POST: async ({ request }) => {
          const body = await readBytes(request);
          const signature = request.headers.get(WEBHOOK_SIGNATURE_HEADER) ?? '';
          // The body is not parsed before.
          if (!isSignedBy(await billingSecret(service.metadata), body, signature)) {
            throw new ServiceProblem('signature_invalid');
          }
          return jsonResponse({ status: await takeNotice(service, checked(parse(body), billingNotice)) });
        },
      },
    },
  ];
}

async function readBytes(request: Request): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > LONGEST_NOTICE) {
      throw new ServiceProblem('too_large', { detail: `the body has more than ${LONGEST_NOTICE} bytes` });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ServiceProblem('malformed_request', { detail: 'the body is not JSON', cause });
  }
}
