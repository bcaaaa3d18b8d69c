import {
  deviceAuthRequest,
  factorVerifyRequest,
  passwordGrantRequest,
  refreshGrantRequest,
} from '../../protocol/auth.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { bearerToken } from '../auth/authenticate.ts';
import { deviceAuth } from '../auth/device-auth.ts';
import { refreshGrant } from '../auth/refresh.ts';
import { passwordGrant, verifyFactor } from '../auth/sign-in.ts';
import { ServiceProblem } from '../problem.ts';
import { emptyAnswer, jsonAnswer } from './answer.ts';
import { readJson } from './body.ts';
import { withCaller } from './routes.ts';
import type { Handler, Route, RouteContext } from './routes.ts';

const LOGOUT_PATH = '/auth/v1/logout';

export function authRoutes(context: RouteContext): readonly Route[] {
  const { service, tokens } = context;
  const verify: Handler = async ({ request, parameters }) => {
    const mfaToken = bearerToken(request.headers.get('authorization'));
    const { code } = await readJson(request, factorVerifyRequest);
    return jsonAnswer(await verifyFactor(service, tokens, { mfaToken, factorId: parameters['factor_id'] ?? '', code }));
  };
  const device: Handler = async ({ request }) =>
    jsonAnswer(await deviceAuth(service, tokens, await readJson(request, deviceAuthRequest)));
  const logout = withCaller(context, async (_, caller) => {
    if (caller.kind !== 'user') throw new ServiceProblem('permission_denied', { detail: 'only users sign out' });
    await service.metadata.tokens.revokeFamily(caller.familyId, service.clock.now());
    return emptyAnswer();
  });
  return [
    { path: ENDPOINTS.token, methods: { POST: createTokenHandler(context) } },
    { path: ENDPOINTS.factorVerify, methods: { POST: verify } },
    { path: ENDPOINTS.deviceAuth, methods: { POST: device } },
    { path: LOGOUT_PATH, methods: { POST: logout } },
  ];
}

function createTokenHandler({ service, tokens }: RouteContext): Handler {
  return async ({ request, url }) => {
    switch (url.searchParams.get('grant_type')) {
      case 'password':
        return jsonAnswer(await passwordGrant(service, tokens, await readJson(request, passwordGrantRequest)));
      case 'refresh_token': {
        const { refresh_token: token } = await readJson(request, refreshGrantRequest);
        return jsonAnswer(await refreshGrant(service, tokens, token));
      }
      default:
        throw new ServiceProblem('malformed_request', { detail: 'grant_type: expected password or refresh_token' });
    }
  };
}
