import {
  ACCOUNT_ENDPOINTS,
  acceptInvitationRequest,
  changeMemberRequest,
  inviteRequest,
} from '../../protocol/accounts.ts';
import { auditExportQuery, auditQuery } from '../../protocol/portal/audit.ts';
import { requireFreshFactor } from '../auth/factors/fresh-factor.ts';
import { exportAudit } from '../audit/audit-export.ts';
import { listAudit } from '../audit/audit.ts';
import {
  acceptInvitation,
  changeQuota,
  changeRole,
  invite,
  listInvitations,
  listMembers,
  removeMember,
  requireRole,
  resetFactors,
  withdrawInvitation,
} from '../auth/members.ts';
import { emptyAnswer, jsonResponse, streamedFile } from '../request/answer.ts';
import { checked, readJson } from './body.ts';
import { type Exchange, type Handler, type Route, type RouteContext, withCaller } from './routes.ts';
import type { User } from '../auth/account-store.ts';

/** Routes for members and the audit log, for owners and admins. Auditors read them. */
export function memberRoutes(context: RouteContext): readonly Route[] {
  const { service, tokens } = context;
  const asAdmin = (handler: (exchange: Exchange, by: User) => Promise<Response>): Handler =>
    withCaller(context, async (exchange, caller) => handler(exchange, await requireRole(service, caller, 'admin')));
  const asAuditor = (handler: (exchange: Exchange, by: User) => Promise<Response>): Handler =>
    withCaller(context, async (exchange, caller) => handler(exchange, await requireRole(service, caller, 'auditor')));
  /** A stolen token alone must not change who belongs to the account. */
  const asFreshAdmin = (handler: (exchange: Exchange, by: User) => Promise<Response>): Handler =>
    withCaller(context, async (exchange, caller) => {
      const by = await requireRole(service, caller, 'admin');
      if (caller.kind === 'user') await requireFreshFactor(service, caller);
      return handler(exchange, by);
    });
  const userId = ({ parameters }: Exchange): string => parameters['user_id'] ?? '';

  const accept: Handler = async ({ request }) =>
    jsonResponse(await acceptInvitation(service, tokens, await readJson(request, acceptInvitationRequest)));
  const change = asFreshAdmin(async (exchange, by) => {
    const changed = await readJson(exchange.request, changeMemberRequest);
    if ('role' in changed) await changeRole(service, by, userId(exchange), changed.role);
    else await changeQuota(service, by, userId(exchange), changed.quota_bytes);
    return emptyAnswer();
  });
  const remove = asFreshAdmin(async (exchange, by) => {
    await removeMember(service, by, userId(exchange));
    return emptyAnswer();
  });
  const reset = asFreshAdmin(async (exchange, by) => {
    await resetFactors(service, by, userId(exchange));
    return emptyAnswer();
  });
  const withdraw = asAdmin(async ({ parameters }, by) => {
    await withdrawInvitation(service, by, parameters['invitation_id'] ?? '');
    return emptyAnswer();
  });
  const audit = asAuditor(async ({ url }, by) => {
    const page = checked(Object.fromEntries(url.searchParams), auditQuery);
    return jsonResponse(await listAudit(service, by, page));
  });
  const auditExport = withCaller(context, async ({ url }, caller) => {
    const requireReader = () => requireRole(service, caller, 'auditor');
    await requireReader();
    const wanted = checked(Object.fromEntries(url.searchParams), auditExportQuery);
    const type = wanted.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl';
    return streamedFile(exportAudit(service, requireReader, wanted), { name: `audit.${wanted.format}`, type });
  });
  return [
    {
      path: ACCOUNT_ENDPOINTS.members,
      methods: { GET: asAuditor(async (_, by) => jsonResponse({ members: await listMembers(service, by.accountId) })) },
    },
    { path: ACCOUNT_ENDPOINTS.member, methods: { PATCH: change, DELETE: remove } },
    { path: ACCOUNT_ENDPOINTS.memberFactors, methods: { DELETE: reset } },
    { path: ACCOUNT_ENDPOINTS.acceptInvitation, methods: { POST: accept } },
    {
      path: ACCOUNT_ENDPOINTS.invitations,
      methods: {
        GET: asAuditor(async (_, by) => jsonResponse({ invitations: await listInvitations(service, by.accountId) })),
        POST: asFreshAdmin(async ({ request }, by) =>
          jsonResponse(await invite(service, by, await readJson(request, inviteRequest))),
        ),
      },
    },
    { path: ACCOUNT_ENDPOINTS.invitation, methods: { DELETE: withdraw } },
    { path: ACCOUNT_ENDPOINTS.audit, methods: { GET: audit } },
    { path: ACCOUNT_ENDPOINTS.auditExport, methods: { GET: auditExport } },
  ];
}
