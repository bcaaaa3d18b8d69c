import { isBuiltin } from 'node:module';
import { constants } from 'node:os';

/** Lines of a report, and characters of a frame. */
const MOST_LINES = 60;
const LONGEST_NAME = 80;

/** Messages of the JavaScript engine, which name nothing but our own code. */
const ENGINE_MESSAGES = [
  /^Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '\w{1,40}'\)$/,
  /^[\w.#]{1,60} is not (?:a function|iterable|defined|a constructor)$/,
  /^Maximum call stack size exceeded$/,
  /^Invalid array length$/,
  /^Assignment to constant variable\.$/,
  /^Converting circular structure to JSON$/,
];

/** Classes of errors. Another word before a colon may be the beginning of a name. */
const CLASSES: ReadonlySet<string> = new Set(
  (
    'Error AbortError AggregateError AssertionError DOMException EvalError HoldfastError ' +
    'RangeError ReferenceError SqliteError SyntaxError SystemError TypeError URIError ZodError'
  ).split(' '),
);

const HEADER = /^(?:Uncaught )?([A-Z]\w{0,60})(?: \[([A-Z][A-Z0-9_]{1,60})\])?(?::\s?(.*))?$/s;
const FRAME =
  /^at (?:(async |new )?([\w.#<>$ [\]]{1,120}?) )?\(?((?:file:\/\/)?[^()]*?):(\d{1,7}):(\d{1,7})\)?(?: \{)?$/;
const CODE = /^code: '([A-Z][A-Z0-9_]{1,40})',?$/;
const WORD = /[\p{L}\p{N}_$]+/gu;

/** Codes of the system, of Node, of SQLite and of undici. Another word in capitals may be anybody's. */
const CODES: ReadonlySet<string> = new Set(Object.keys(constants.errno));
const CODE_PREFIX = /^(?:ERR|SQLITE|UND_ERR)_[A-Z_]+$/;

/** The files of the program. */
export interface OwnProgram {
  /** Returns whether a file belongs to the program. @param place relative to it, with slashes */
  has(place: string): boolean;
  /** Returns whether a file of the program has all of these words. */
  mentions(place: string, words: readonly string[]): boolean;
}

/**
 * Makes the lines of a crash report from an error with its stack, or from what a process wrote to its error output. Only what is
 * known to be harmless gets through: classes and codes of errors, positions in our own program and in Node, and messages of the
 * JavaScript engine. Other messages may name files, sets or addresses, and may have lines that look like a stack: so files have to
 * exist in the program, and names have to be words of these files.
 */
export function redactedLines(text: string, own: OwnProgram): readonly string[] {
  const found: string[] = [];
  const lines = text.split('\n').map((line) => line.trim());
  let isMessage = false;
  for (const [index, line] of lines.entries()) {
    const frame = FRAME.exec(line);
    if (frame) {
      isMessage = false;
      found.push(frameText(frame, own));
      continue;
    }
    // A message goes on until the first frame of its stack.
    if (isMessage) continue;
    const code = CODE.exec(line)?.[1];
    if (code !== undefined && isKnownCode(code)) found.push(`  code ${code}`);
    const header = HEADER.exec(line);
    if (!header || !CLASSES.has(header[1] ?? '')) continue;
    isMessage = true;
    found.push(headerText(header, own, lines.slice(index + 1)));
  }
  return found.filter((line, index) => line !== found[index - 1]).slice(0, MOST_LINES);
}

/** @param after the lines after it */
function headerText(
  [, name, code = '', message = '']: RegExpExecArray,
  own: OwnProgram,
  after: readonly string[],
): string {
  const isHarmless = ENGINE_MESSAGES.some((pattern) => pattern.test(message)) && isOwnMessage(message, own, after);
  const known = code === '' ? '' : isKnownCode(code) ? `[${code}]` : '[other code]';
  return [name, known, message && (isHarmless ? message : '(message left out)')].filter(Boolean).join(' ');
}

/** Returns whether a message has one line, and its words are those of the file that it comes from. */
function isOwnMessage(message: string, own: OwnProgram, [next = '']: readonly string[]): boolean {
  const place = placeOf(FRAME.exec(next)?.[3] ?? '', own);
  const named = /\((?:reading|setting) '(\w+)'\)$/.exec(message)?.[1] ?? /^([\w.#]+) is not /.exec(message)?.[1] ?? '';
  return named === '' || (place !== undefined && own.mentions(place, named.match(WORD) ?? []));
}

function isKnownCode(code: string): boolean {
  return CODES.has(code) || CODE_PREFIX.test(code);
}

function frameText(
  [, kind = '', called = '', file = '', line = '', column = '']: RegExpExecArray,
  own: OwnProgram,
): string {
  const place = placeOf(file, own);
  const isNamed = place !== undefined && /^[\w.#<>$]+$/.test(called) && own.mentions(place, called.match(WORD) ?? []);
  const name = isNamed ? called.slice(0, LONGEST_NAME) : '';
  const position = nodePlaceOf(file) ?? (place === undefined ? '(elsewhere)' : `${place}:${line}:${column}`);
  return `  at ${[kind.trim(), name, position].filter((part) => part !== '').join(' ')}`;
}

function nodePlaceOf(file: string): string | undefined {
  const [, name] = /^node:([\w/]{1,80})$/.exec(file) ?? [];
  if (name === undefined) return undefined;
  return isBuiltin(`node:${name}`) ? `node:${name}` : 'node:internal';
}

/** Returns where in Holdfast or its libraries a file is: from the last such folder on, since those before it are the person's. */
function placeOf(file: string, own: OwnProgram): string | undefined {
  const path = file.replaceAll('\\', '/');
  const place = /^(?:.*\/)?((?:src|dist|node_modules)\/[\w./@-]{1,160}\.(?:ts|tsx|js|cjs|mjs))$/.exec(path)?.[1];
  return place !== undefined && !place.includes('..') && own.has(place) ? place : undefined;
}
