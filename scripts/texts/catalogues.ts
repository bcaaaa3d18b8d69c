import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(dirname(import.meta.dirname));

/** The catalogues of one program: a folder for each language in `catalogues/`, compiled to `compiled/`. */
export interface Product {
  readonly name: string;
  readonly folder: string;
  /** Groups of texts that code looks up by words of others; a word may have no text. */
  readonly open: readonly string[];
  /** Whether each group at the top is a module of its own. */
  readonly isSplit: boolean;
  /** What the names of its modules begin with, so that each has the name of no other product's. */
  readonly prefix: string;
}

export const PRODUCTS: readonly Product[] = [
  { name: 'app', folder: join(root, 'src/strings'), open: [], isSplit: true, prefix: '' },
  {
    name: 'portal',
    folder: join(root, 'src/portal/strings'),
    open: [
      'team.roles',
      'team.roleHints',
      'audit.fields',
      'audit.kinds',
      'erasure.scopes',
      'attention.reasons',
      'retention.reasons',
      'devices.states',
      'failures',
    ],
    isSplit: false,
    prefix: 'portal-',
  },
];

/** The language that the others are translated from. */
export const SOURCE = 'en';

/** The group of the sentences of failures, whose arguments are the details of a failure. */
export const SENTENCES = 'failures.sentences';

/** BCP 47 codes of all languages, and whether a missing text fails the check; otherwise the English text is shown. */
export const LANGUAGES: Readonly<Record<string, { readonly isComplete: boolean }>> = {
  en: { isComplete: true },
  de: { isComplete: true },
  fr: { isComplete: false },
  es: { isComplete: false },
  ja: { isComplete: false },
  ar: { isComplete: false },
};

/** The names of the source's files, without `.po`. */
export function filesOf({ folder }: Product): readonly string[] {
  return readdirSync(join(folder, 'catalogues', SOURCE))
    .filter((file) => file.endsWith('.po'))
    .map((file) => file.slice(0, -'.po'.length))
    .sort();
}

export function poPath({ folder }: Product, language: string, file: string): string {
  return join(folder, 'catalogues', language, `${file}.po`);
}
