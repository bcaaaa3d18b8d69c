import { randomBytes } from 'node:crypto';

/** Prefixes of identifiers by kind. */
export type IdentifierKind =
  | 'acc'
  | 'usr'
  | 'fac'
  | 'fam'
  | 'inv'
  | 'aud'
  | 'dev'
  | 'ses'
  | 'bkp'
  | 'rst'
  | 'whk'
  | 'dlv'
  | 'alm'
  | 'ers'
  | 'req';

/** Creates 128 random bits after a prefix: `ses_…`. It cannot be guessed, and never starts with a dash. */
export function newIdentifier(kind: IdentifierKind): string {
  return `${kind}_${randomBytes(16).toString('base64url')}`;
}
