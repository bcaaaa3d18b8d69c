import type { RetentionForm } from '../../../../ipc/contract/sets.ts';

/** The policy of a first set, and the first suggestion for a set that keeps everything. */
export const RECOMMENDED_POLICY: RetentionForm = { keepAllDays: 7, daily: 30, weekly: 12, monthly: 24 };
