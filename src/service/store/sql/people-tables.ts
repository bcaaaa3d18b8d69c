declare module './tables.ts' {
  interface Tables {
    pending_factor: { id: string; user_id: string; friendly_name: string; secret: string; expires_at: number };
    recovery_code: { user_id: string; hash: string };
    invitation: InvitationTable;
    identity: { issuer: string; subject: string; user_id: string };
    sign_in: { family_id: string; user_agent: string; address: string; last_used_at: number };
    device_activity: {
      device_id: string;
      registered_by: string | null;
      last_seen: number;
      offline_since: number | null;
    };
    audit_entry: AuditEntryTable;
  }
}

interface InvitationTable {
  id: string;
  account_id: string;
  email: string;
  role: string;
  token_hash: string;
  created_at: number;
  expires_at: number;
}

interface AuditEntryTable {
  id: string;
  account_id: string;
  occurred_at: number;
  kind: string;
  user_id: string | null;
  device_id: string | null;
  address: string | null;
  details_json: string;
}

export type { AuditEntryTable, InvitationTable };
