import { readFileSync, statSync } from 'node:fs';
import { expandedHome } from './local-path.ts';
import { systemCodeOf, wrongUsage } from '../../base/errors/errors.ts';
import { MAX_CHOICES, type ConflictChoice, type PathChoice } from '../../model/restore-request.ts';

const MAX_BYTES = 64 * 2 ** 20;
const LINE = /^(skip|overwrite|keep-both)[ \t]+(.+)$/;

/**
 * Reads the choices of `--choices`: a choice and a path on each line. Empty lines and those that begin with `#` are ignored.
 *
 * @throws HoldfastError `usage`
 */
export function readChoices(file: string): readonly PathChoice[] {
  const choices: PathChoice[] = [];
  const paths = new Set<string>();
  for (const [index, text] of linesOf(file)) {
    const [, choice, path] = LINE.exec(text) ?? [];
    if (choice === undefined || path === undefined)
      throw refused(`Line ${index} of ${file} has to be a choice (skip, overwrite, keep-both) and a path.`);
    if (choices.length === MAX_CHOICES) throw refused(tooMany(file));
    if (path !== path.trimEnd()) throw refused(`The path in line ${index} of ${file} ends with a blank. Remove it.`);
    const full = expandedHome(path);
    if (paths.has(full)) throw refused(`Line ${index} of ${file} repeats the path of another line.`);
    paths.add(full);
    choices.push({ choice: choice as ConflictChoice, path: full });
  }
  return choices;
}

/** Lines with text, each with its number. */
function* linesOf(file: string): Generator<readonly [number, string]> {
  let text: string;
  try {
    if (statSync(file).size > MAX_BYTES) throw refused(tooMany(file));
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = systemCodeOf(error);
    if (reason === undefined) throw error;
    throw wrongUsage({ problem: 'file-unreadable', file, reason });
  }
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trimStart().replace(/\r$/, '');
    if (trimmed !== '' && !trimmed.startsWith('#')) yield [index + 1, trimmed];
  }
}

function tooMany(file: string): string {
  return `${file} has more than ${MAX_CHOICES} choices. Choose for folders instead of single files.`;
}

function refused(message: string): Error {
  return wrongUsage({ problem: 'options', message });
}
