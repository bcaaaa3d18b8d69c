import { ACCOUNT_ENDPOINTS, confirmedRequest } from '../../protocol/accounts.ts';
import { addPasskeyRequest, passkeyRequest } from '../../protocol/portal/passkeys.ts';
import { addPasskey, passkeyToAdd, passkeyToUse, removePasskey } from '../auth/factors/passkeys.ts';
import { emptyAnswer, jsonResponse } from '../request/answer.ts';
import { asUser } from './account-routes.ts';
import { readJson } from './body.ts';
import type { Route, RouteContext } from './routes.ts';

/** Routes for a person's own passkeys. Signing in with one is the portal's. */
export function passkeyRoutes(context: RouteContext): readonly Route[] {
  const { service } = context;
  const begin = asUser(context, async ({ request }, caller) => {
    const { friendly_name: name, code } = await readJson(request, addPasskeyRequest);
    return jsonResponse(await passkeyToAdd(service, caller, { name, code }));
  });
  const add = asUser(context, async ({ request }, caller) =>
    jsonResponse(await addPasskey(service, caller, (await readJson(request, passkeyRequest)).credential)),
  );
  const remove = asUser(context, async ({ request, parameters }, caller) => {
    const { code } = await readJson(request, confirmedRequest);
    await removePasskey(service, caller.userId, { id: parameters['passkey_id'] ?? '', code });
    return emptyAnswer();
  });
  const confirm = asUser(context, async (_, caller) =>
    jsonResponse(await passkeyToUse(service, caller.userId, { kind: 'confirm', familyId: caller.familyId })),
  );
  return [
    { path: ACCOUNT_ENDPOINTS.passkeyOptions, methods: { POST: begin } },
    { path: ACCOUNT_ENDPOINTS.passkeys, methods: { POST: add } },
    { path: ACCOUNT_ENDPOINTS.passkey, methods: { DELETE: remove } },
    { path: ACCOUNT_ENDPOINTS.confirmationOptions, methods: { POST: confirm } },
  ];
}
