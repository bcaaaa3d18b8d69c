import { BACKUPS } from './backups.ts';
import { FORMS } from './forms.ts';
import type { OddityRow } from './oddity-row.ts';
import { RESTORES } from './restores.ts';
import { SIGN_INS } from './sign-ins.ts';

/** The parts of the table in docs/conformance.md. */
export const ODDITIES: readonly { readonly title: string; readonly rows: readonly OddityRow[] }[] = [
  { title: 'Answers', rows: FORMS },
  { title: 'Signing in', rows: SIGN_INS },
  { title: 'Backup', rows: BACKUPS },
  { title: 'Restore', rows: RESTORES },
];
