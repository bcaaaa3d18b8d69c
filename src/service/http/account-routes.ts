import { z } from 'zod';
import {
  ACCOUNT_ENDPOINTS,
  changePasswordRequest,
  confirmationRequest,
  confirmedRequest,
  enrolFactorRequest,
  passwordResetRequest,
  recoverRequest,
  signupRequest,
} from '../../protocol/accounts.ts';
import { authenticate, bearerToken } from '../auth/authenticate.ts';
import { completeReset, requestReset } from '../auth/passwords/password-reset.ts';
import { changePassword, signUp } from '../auth/accounts.ts';
import {
  confirmWithCode,
  describeUser,
  enrolFactor,
  enrollerOf,
  removeFactor,
  replaceRecoveryCodes,
  type Enroller,
} from '../auth/factors/second-factors.ts';
import { renewFactor } from '../auth/factors/fresh-factor.ts';
import { endSession, listSessions } from '../auth/tokens/sessions.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import { emptyAnswer, jsonResponse } from '../request/answer.ts';
import { checked, readJson, receiveBody } from './body.ts';
import { withCaller } from './routes.ts';
import type { Exchange, Handler, Route, RouteContext } from './routes.ts';

type UserCaller = Extract<Caller, { kind: 'user' }>;

/** Routes for a user's own account. */
export function accountRoutes(context: RouteContext): readonly Route[] {
  const { service, tokens } = context;
  const signup: Handler = async ({ request }) =>
    jsonResponse(await signUp(service, tokens, await readJson(request, signupRequest)));
  const enrol: Handler = async ({ request }) => {
    await receiveBody(request);
    const { userId, finish } = await enrollerBehind(context, request);
    const { friendly_name: name, code } = await readJson(request, enrolFactorRequest);
    // Otherwise a stolen access token would become a second factor of its own.
    if (finish === undefined) await confirmWithCode(service, userId, code ?? '');
    return jsonResponse(await enrolFactor(service, userId, name));
  };
  const changeUser = asUser(context, async ({ request }, caller) => {
    const { current_password: current, password: next } = await readJson(request, changePasswordRequest);
    await changePassword(service, caller, { current, next });
    return jsonResponse(await describeUser(service, caller.userId));
  });
  const dropFactor = asUser(context, async ({ request, parameters }, caller) => {
    const { code } = await readJson(request, confirmedRequest);
    await removeFactor(service, caller.userId, { factorId: parameters['factor_id'] ?? '', code });
    return emptyAnswer();
  });
  const newCodes = asUser(context, async ({ request }, caller) => {
    const { code } = await readJson(request, confirmedRequest);
    return jsonResponse({ recovery_codes: await replaceRecoveryCodes(service, caller.userId, code) });
  });
  const confirm = asUser(context, async ({ request }, caller) => {
    return jsonResponse(await renewFactor(service, caller, await readJson(request, confirmationRequest)));
  });
  const logout = asUser(context, async ({ url }, caller) => {
    const { scope } = checked(Object.fromEntries(url.searchParams), logoutQuery);
    const sessions = scope === 'local' ? [{ id: caller.familyId }] : await listSessions(service, caller);
    for (const { id } of sessions) {
      if (scope !== 'others' || id !== caller.familyId) await endSession(service, caller, id);
    }
    return emptyAnswer();
  });
  return [
    { path: ACCOUNT_ENDPOINTS.signup, methods: { POST: signup } },
    { path: ACCOUNT_ENDPOINTS.recover, methods: { POST: recoverHandler(context) } },
    { path: ACCOUNT_ENDPOINTS.passwordReset, methods: { POST: resetHandler(context) } },
    { path: ACCOUNT_ENDPOINTS.logout, methods: { POST: logout } },
    {
      path: ACCOUNT_ENDPOINTS.user,
      methods: {
        GET: asUser(context, async (_, caller) => jsonResponse(await describeUser(service, caller.userId))),
        PUT: changeUser,
      },
    },
    { path: ACCOUNT_ENDPOINTS.factors, methods: { POST: enrol } },
    { path: ACCOUNT_ENDPOINTS.factor, methods: { DELETE: dropFactor } },
    { path: ACCOUNT_ENDPOINTS.confirmation, methods: { POST: confirm } },
    { path: ACCOUNT_ENDPOINTS.recoveryCodes, methods: { POST: newCodes } },
    {
      path: ACCOUNT_ENDPOINTS.sessions,
      methods: {
        GET: asUser(context, async (_, caller) => jsonResponse({ sessions: await listSessions(service, caller) })),
      },
    },
    {
      path: ACCOUNT_ENDPOINTS.session,
      methods: {
        DELETE: asUser(context, async ({ parameters }, caller) => {
          await endSession(service, caller, parameters['session_id'] ?? '');
          return emptyAnswer();
        }),
      },
    },
  ];
}

/** Runs a handler for people only. */
export function asUser(
  context: RouteContext,
  handler: (exchange: Exchange, caller: UserCaller) => Promise<Response>,
): Handler {
  return withCaller(context, (exchange, caller) => handler(exchange, requirePerson(caller)));
}

/** The same answer for every address. */
export function recoverHandler({ service }: RouteContext): Handler {
  return async ({ request }) => {
    const { email } = await readJson(request, recoverRequest);
    requestReset(service, email);
    return emptyAnswer();
  };
}

/** The response leads to the second factor. */
export function resetHandler({ service, tokens }: RouteContext): Handler {
  return async ({ request }) =>
    jsonResponse(await completeReset(service, tokens, await readJson(request, passwordResetRequest)));
}

export const logoutQuery = z.object({ scope: z.enum(['local', 'others', 'global']).default('local') });

/** A signed-in user, or one with an enrolment token who has no second factor yet. Called when the body has arrived. */
export async function enrollerBehind({ service, tokens }: RouteContext, request: Request): Promise<Enroller> {
  const header = request.headers.get('authorization');
  const token = bearerToken(header);
  if (tokens.purposeOf(token) === 'enrolment') return enrollerOf(service, tokens, token);
  const { userId } = requirePerson(await authenticate(service, tokens, header, true));
  return { userId, finish: undefined };
}

function requirePerson(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new ServiceProblem('permission_denied', { detail: 'this is for people, not for devices' });
}
