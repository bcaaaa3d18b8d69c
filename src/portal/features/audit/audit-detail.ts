import type { AuditEntry } from '../../../protocol/portal/audit.ts';
import type { Language } from '../../strings/language.ts';

/** Names of the present people and devices by ID. */
export type KnownNames = ReadonlyMap<string, string>;

/** Describes the subject of an entry; empty if its kind is sufficient. */
export function auditDetail(
  { kind, device_id: device, details }: AuditEntry,
  names: KnownNames,
  { strings, formats }: Language,
): string {
  const words = strings.audit;
  const { member, role, name, url, backup_set: set, restore_point: point, plan, limit_bytes: limit } = details;
  const { scope } = details;
  const { minimum_days: days, reason, amount, currency, removed, issuer } = details;
  const parts = [
    scope && kind.startsWith('erasure.') && strings.erasure.scopes[scope],
    member && (names.get(member) ?? words.formerMember),
    role && (strings.team.roles[role] ?? role),
    set,
    device !== null && names.get(device) !== name && names.get(device),
    name,
    url,
    issuer,
    point && words.restorePointOf(formats.dateTime(point)),
    plan,
    (kind === 'plan.changed' || kind === 'member.quota_changed') &&
      (limit === undefined ? words.noLimit : words.limitOf(formats.bytes(Number(limit)))),
    days && words.days(days),
    removed,
    reason,
    amount && [amount, currency].filter(Boolean).join(' '),
  ];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');
}

/** Names the person, device or service that caused an entry. */
export function auditActor(
  { kind, user_id: user, device_id: device }: AuditEntry,
  names: KnownNames,
  { strings }: Language,
): string {
  if (user !== null) return names.get(user) ?? strings.audit.formerMember;
  const isOwnDoing = device !== null && !kind.startsWith('device.') && !kind.startsWith('retention.');
  return (isOwnDoing ? names.get(device) : undefined) ?? strings.audit.service;
}
