/** What is kept of a security event. `details` never holds a secret, and names people by their ids. */
export const AUDIT_KINDS = [
  'account.created',
  'sign_in.succeeded',
  'sign_in.password_refused',
  'sign_in.code_refused',
  'sign_in.recovery_code_used',
  'sign_in.provider_linked',
  'session.ended',
  'session.reuse_detected',
  'password.changed',
  'factor.added',
  'factor.removed',
  'factor.reset',
  'recovery_codes.replaced',
  'member.invited',
  'member.invitation_withdrawn',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'device.registered',
  'device.renamed',
  'device.revoked',
  'webhook.added',
  'webhook.changed',
  'webhook.secret_changed',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.removed',
  'plan.changed',
  'payment.failed',
  'payment.received',
  'retention.changed',
  'retention.applied',
  'retention.locked',
  'retention.released',
  'restore_point.pinned',
  'restore_point.unpinned',
  'restore_point.removed',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

export interface NewAuditEntry {
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly occurredAt: number;
  readonly kind: AuditKind;
  readonly userId?: string | undefined;
  readonly deviceId?: string | undefined;
  /** The client's, as the connection or a trusted proxy says. */
  readonly address?: string | undefined;
  readonly details?: Readonly<Record<string, string>>;
}

export interface StoredAuditEntry extends NewAuditEntry {
  readonly id: string;
}

/** Entries are added and pruned, and never changed. */
export interface AuditStore {
  record(entry: NewAuditEntry): Promise<void>;
  /** Newest first, from the one behind `before` (an `id`). */
  list(accountId: string, page: { before?: string | undefined; limit: number }): Promise<readonly StoredAuditEntry[]>;
  /** Drops those that happened before `before`. */
  prune(before: number): Promise<void>;
}
