import type { Clause } from './clause.ts';
import { BACKUP } from './clauses/backup.ts';
import { DEVICES } from './clauses/devices.ts';
import { OBJECT_STORAGE } from './clauses/object-storage.ts';
import { OVER_TIME } from './clauses/over-time.ts';
import { RESTORE } from './clauses/restore.ts';
import { SIGN_IN } from './clauses/sign-in.ts';
import { TOKENS_NEEDED } from './clauses/tokens-needed.ts';
import { WEBHOOKS } from './clauses/webhooks.ts';

/** All clauses that can be checked from outside, in the order of their checks. */
export const CLAUSES: readonly Clause[] = [
  ...SIGN_IN,
  ...DEVICES,
  ...TOKENS_NEEDED,
  ...BACKUP,
  ...OBJECT_STORAGE,
  ...RESTORE,
  ...WEBHOOKS,
  ...OVER_TIME,
];
