import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Library {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string | undefined;
  /** Its folder below `node_modules`. */
  readonly folder: string;
}

/** Names that npm packages give their licences and notices. */
const LICENCE_FILE = /^(licen[cs]e|notice|copying)/i;

const RULE = '-'.repeat(80);

/** Returns the licences and notices that libraries contain, one after the other. */
export function licenceTexts(libraries: readonly Library[], ...before: readonly string[]): string {
  const sections = libraries.map(({ name, version, licence, folder }) => {
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => LICENCE_FILE.test(file)) : [];
    const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${version}, ${licence ?? 'licence in its text'}`, ...texts].join('\n\n');
  });
  return `${[...before, ...sections].join(`\n\n${RULE}\n\n`)}\n`;
}
