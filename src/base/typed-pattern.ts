/** What a name of Windows needs in a pattern (brackets, a sign at the beginning, a blank at the end), or else a separator. */
const BACKSLASHES = /(^!?\\[!#]|\\[[\]]|\\ $)|\\+/g;

/**
 * Returns an exclusion pattern as a person types it, in gitignore syntax. On Windows people separate folders by backslashes, and no name has any; in
 * a pattern a backslash makes the next character literal.
 *
 * @param platform as Node names it
 */
export function typedPattern(text: string, platform: string): string {
  return platform === 'win32' ? text.replaceAll(BACKSLASHES, (_, escape: string | undefined) => escape ?? '/') : text;
}
