import type { EmittedEvent } from '../../../protocol/webhooks.ts';
import type { NewAuditEntry } from '../audit/audit-store.ts';

/** A factor that nobody has proved to hold yet. */
export interface PendingFactor {
  readonly id: string;
  readonly userId: string;
  readonly friendlyName: string;
  /** Base32. */
  readonly secret: string;
  readonly expiresAt: number;
}

/** Second factors beyond what signing in needs (`AccountStore`): how they come, go, and are done without. */
export interface SecondFactorStore {
  /** In the place of one that the user had not finished enrolling. */
  enrol(factor: PendingFactor): Promise<void>;
  pending(id: string): Promise<PendingFactor | undefined>;
  /**
   * Makes a pending factor count, `step` being the TOTP time step of the code that proved it. The recovery codes become
   * the user's where there are none yet.
   */
  activate(
    id: string,
    activation: { step: number; recoveryCodes: readonly string[]; now: number; audit: NewAuditEntry },
  ): Promise<'activated' | 'activated_with_codes' | undefined>;
  /** A user keeps one factor at least. */
  remove(userId: string, factorId: string, audit: NewAuditEntry): Promise<'removed' | 'last' | undefined>;
  /** Takes all factors and recovery codes away and ends every sign-in; false where there were no factors. */
  reset(userId: string, reset: { now: number; event: EmittedEvent; audit: NewAuditEntry }): Promise<boolean>;
  /** `hashes` are hex. */
  replaceRecoveryCodes(userId: string, hashes: readonly string[], audit: NewAuditEntry): Promise<void>;
  recoveryCodesLeft(userId: string): Promise<number>;
  /** False where it is none of the user's, or was used before. */
  useRecoveryCode(userId: string, hash: string, audit: NewAuditEntry): Promise<boolean>;
}
