import { randomBytes } from 'node:crypto';

/** What an identifier names, as its prefix says. */
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
  | 'req';

/** 128 random bits behind a prefix: `ses_…`. Nobody can guess one, and it never starts with a dash. */
export function newIdentifier(kind: IdentifierKind): string {
  return `${kind}_${randomBytes(16).toString('base64url')}`;
}
