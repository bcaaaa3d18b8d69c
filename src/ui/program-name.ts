/** Order matters: a user agent also contains the marks that follow its own. */
const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^holdfast\b/i, 'Holdfast'],
];

const SYSTEMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/Windows/, 'Windows'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X|macOS/, 'macOS'],
  [/Android/, 'Android'],
  [/Linux/, 'Linux'],
];

/** Returns a name such as “Firefox, Linux” for a user agent. */
export function programName(userAgent: string): string | undefined {
  const find = (list: typeof BROWSERS): string | undefined => list.find(([mark]) => mark.test(userAgent))?.[1];
  const names = [find(BROWSERS), find(SYSTEMS)].filter((name) => name !== undefined);
  return names.length === 0 ? userAgent.split(/[/\s]/)[0] || undefined : names.join(', ');
}
