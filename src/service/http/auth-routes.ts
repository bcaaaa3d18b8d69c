import {
  deviceAuthRequest,
  factorVerifyRequest,
  passwordGrantRequest,
  refreshGrantRequest,
} from '../../protocol/auth.ts';
import { pkceGrantRequest } from '../../protocol/accounts.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { bearerToken } from '../auth/authenticate.ts';
import { deviceAuth } from '../auth/device-auth.ts';
import { refreshGrant } from '../auth/tokens/refresh.ts';
import { proveFactor } from '../auth/factors/second-factors.ts';
import { passwordGrant, verifyFactor } from '../auth/sign-in.ts';
import { ServiceProblem } from '../request/problem.ts';
import { enrollerBehind } from './account-routes.ts';
import { jsonResponse } from '../request/answer.ts';
import { readJson } from './body.ts';
import type { Handler, Route, RouteContext } from './routes.ts';

/** Routes that issue tokens. */
export function authRoutes(context: RouteContext): readonly Route[] {
  const { service, tokens } = context;
  const verify: Handler = async ({ request, parameters }) => {
    const mfaToken = bearerToken(request.headers.get('authorization'));
    const { code } = await readJson(request, factorVerifyRequest);
    const given = { factorId: parameters['factor_id'] ?? '', code, userAgent: userAgentOf(request) };
    const purpose = tokens.purposeOf(mfaToken);
    if (purpose !== 'enrolment' && purpose !== 'access') {
      return jsonResponse(await verifyFactor(service, tokens, { ...given, mfaToken }));
    }
    const enroller = await enrollerBehind(context, request);
    const { session, recoveryCodes } = await proveFactor(service, tokens, enroller, given);
    return jsonResponse({ ...session, ...(recoveryCodes === undefined ? {} : { recovery_codes: recoveryCodes }) });
  };
  const device: Handler = async ({ request }) =>
    jsonResponse(await deviceAuth(service, tokens, await readJson(request, deviceAuthRequest)));
  return [
    { path: ENDPOINTS.token, methods: { POST: createTokenHandler(context) } },
    { path: ENDPOINTS.factorVerify, methods: { POST: verify } },
    { path: ENDPOINTS.deviceAuth, methods: { POST: device } },
  ];
}

function createTokenHandler({ service, tokens, providers }: RouteContext): Handler {
  return async ({ request, url }) => {
    switch (url.searchParams.get('grant_type')) {
      case 'password':
        return jsonResponse(await passwordGrant(service, tokens, await readJson(request, passwordGrantRequest)));
      case 'refresh_token': {
        const { refresh_token: token } = await readJson(request, refreshGrantRequest);
        return jsonResponse(await refreshGrant(service, tokens, token, userAgentOf(request)));
      }
      case 'pkce':
        return jsonResponse(await providers.grant(await readJson(request, pkceGrantRequest)));
      default:
        throw new ServiceProblem('malformed_request', {
          detail: 'grant_type: expected password, refresh_token or pkce',
        });
    }
  };
}

function userAgentOf(request: Request): string | undefined {
  return request.headers.get('user-agent') ?? undefined;
}
