import { billingNotice } from '../../protocol/portal/billing.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../../protocol/webhooks.ts';
import { billingSecret } from '../billing/billing-secret.ts';
import { applyNotice } from '../billing/apply-notice.ts';
import { ServiceProblem } from '../request/problem.ts';
import { isSignedBy } from '../webhooks/signature.ts';
import { jsonResponse } from '../request/answer.ts';
import { checked, receiveBody } from './body.ts';
import type { Route, RouteContext } from './routes.ts';
import { KIB } from '../../model/units.ts';

/** Far larger than any notice. */
const LONGEST_NOTICE = 16 * KIB;

/** The form of a signature, whoever made it. */
const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** Serves payment providers: authorised by a signature over the exact body instead of a bearer token. */
export function billingRoutes({ service }: RouteContext): readonly Route[] {
  return [
    {
      path: ENDPOINTS.billingNotices,
      methods: {
        POST: async ({ request }) => {
          const signature = request.headers.get(WEBHOOK_SIGNATURE_HEADER) ?? '';
          // No byte of a stranger without one is read.
          if (!SIGNATURE.test(signature)) throw new ServiceProblem('signature_invalid');
          const body = await receiveBody(request, LONGEST_NOTICE);
          // The body is not parsed before.
          if (!isSignedBy(await billingSecret(service.metadata), body, signature)) {
            throw new ServiceProblem('signature_invalid');
          }
          return jsonResponse({ status: await applyNotice(service, checked(parse(body), billingNotice)) });
        },
      },
    },
  ];
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ServiceProblem('malformed_request', { detail: 'the body is not JSON', cause });
  }
}
