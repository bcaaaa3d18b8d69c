/**
 * Batch files run in cmd.exe, and Node starts none by itself. In a command line cmd replaces `%NAME%` even between quotes, and takes each quote for
 * the end of a quoted part: what has one of them cannot be passed as it is. Everything else is literal between quotes.
 */
const NOT_AS_IT_IS = /["%\r\n]/;

/** What cmd neither interprets nor takes for the end of an argument. */
const PLAIN = /^[\p{L}\p{N}_.:\\/@+-]+$/u;

/** Returns whether Windows runs a program in cmd.exe. Dots and blanks at the end of a name do not count there. */
export function isBatchFile(program: string): boolean {
  return /[^\\/]\.(?:bat|cmd)[. ]*$/i.test(program);
}

/** Returns the first word of a command that its batch file would not get as it is; `undefined` if there is none, or if it is another program. */
export function wordForNoBatchFile(words: readonly [string, ...string[]]): string | undefined {
  return isBatchFile(words[0]) ? words.find((word) => NOT_AS_IT_IS.test(word)) : undefined;
}

/** Returns a line for cmd.exe. @param words have passed `wordForNoBatchFile` */
export function batchLine([program, ...args]: readonly [string, ...string[]]): string {
  // Without quotes cmd takes what follows a slash for an option.
  const quoted = `"${program.replaceAll('/', '\\')}"`;
  return [quoted, ...args.map((word) => (PLAIN.test(word) ? word : `"${word}"`))].join(' ');
}
