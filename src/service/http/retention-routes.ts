import { RETENTION_ENDPOINT, retentionRequest, type RetentionRequest } from '../../protocol/retention.ts';
import { requireFreshFactor } from '../auth/factors/fresh-factor.ts';
import { requirePermission } from '../auth/permissions.ts';
import { deviceToRead } from '../devices/device-access.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import { performRetention } from '../retention/retention.ts';
import { jsonResponse } from '../request/answer.ts';
import { readJson } from './body.ts';
import { withCaller } from './routes.ts';
import type { Route, RouteContext } from './routes.ts';

/** @param onRemoved called when restore points may have been removed and left data to delete */
export function retentionRoutes(context: RouteContext, onRemoved: () => void): readonly Route[] {
  const { service } = context;
  const perform = withCaller(context, async ({ request }, caller) => {
    const body = await readJson(request, retentionRequest);
    if (body.action === 'show' || body.action === 'preview') requirePermission(caller, 'status');
    else await requireManager(service, caller);
    await deviceToRead(service, caller, body.device_id);
    if (caller.kind === 'user' && mayRemove(body)) await requireFreshFactor(service, caller);
    const by = caller.kind === 'user' ? caller.userId : undefined;
    const answer = await performRetention(service, caller.accountId, body, by);
    if (answer.removed > 0) onRemoved();
    return jsonResponse(answer);
  });
  return [{ path: RETENTION_ENDPOINT, methods: { POST: perform } }];
}

/** Returns whether a request removes restore points, lets others remove them, or cannot be undone. */
function mayRemove(request: RetentionRequest): boolean {
  switch (request.action) {
    case 'show':
    case 'preview':
    case 'pin':
      return false;
    case 'set':
      return request.policy !== null;
    case 'apply':
    case 'unpin':
    case 'remove':
    case 'lock':
    case 'release':
      return true;
  }
}

/**
 * Removing backups, or permitting it, requires a user who signed in with a second factor and manages the account: a
 * stolen device key is not enough.
 */
async function requireManager({ metadata }: ServiceContext, caller: Caller): Promise<void> {
  const user = caller.kind === 'user' ? await metadata.accounts.user(caller.userId) : undefined;
  if (user?.role === 'owner' || user?.role === 'admin') return;
  throw new ServiceProblem('permission_denied', {
    detail: 'only an owner or admin changes what becomes of restore points',
  });
}
