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

/**
 * Makes the lines of a crash report from an error with its stack, or from what a process wrote to its error output. Only what is
 * known to be harmless gets through: classes and codes of errors, positions in our own program and in Node, and messages of the
 * JavaScript engine. Other messages may name files, sets or addresses.
 */
export function redactedLines(text: string): readonly string[] {
  const lines = text.split('\n').flatMap((line) => redactedLine(line.trim()) ?? []);
  return lines.filter((line, index) => line !== lines[index - 1]).slice(0, MOST_LINES);
}

function redactedLine(line: string): string | undefined {
  const frame = FRAME.exec(line);
  if (frame) return frameText(frame);
  const code = CODE.exec(line)?.[1];
  if (code !== undefined) return `  code ${code}`;
  const header = HEADER.exec(line);
  const name = header?.[1];
  if (!header || name === undefined || !CLASSES.has(name)) return undefined;
  const [, , known, message = ''] = header;
  const isHarmless = ENGINE_MESSAGES.some((pattern) => pattern.test(message));
  return [name, known && `[${known}]`, message && (isHarmless ? message : '(message left out)')]
    .filter(Boolean)
    .join(' ');
}

function frameText([, kind = '', called = '', file = '', line = '', column = '']: RegExpExecArray): string {
  const place = placeOf(file);
  const name = /^[\w.#<>$]+$/.test(called) ? called.slice(0, LONGEST_NAME) : '';
  const position = place === undefined ? '(elsewhere)' : `${place}:${line}:${column}`;
  return `  at ${[kind.trim(), name, position].filter((part) => part !== '').join(' ')}`;
}

/** Returns where in Holdfast, its libraries or Node a file is: from the last such folder on, since those before it are the person's. */
function placeOf(file: string): string | undefined {
  if (/^node:[\w/]{1,80}$/.test(file)) return file;
  const path = file.replaceAll('\\', '/');
  return /^(?:.*\/)?((?:src|dist|node_modules)\/[\w./@-]{1,160}\.(?:ts|tsx|js|cjs|mjs))$/.exec(path)?.[1];
}
