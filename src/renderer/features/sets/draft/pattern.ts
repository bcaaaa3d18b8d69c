import { typedPattern } from '../../../../base/typed-pattern.ts';

const PLATFORM = /^win/i.test(globalThis.navigator?.platform ?? '') ? 'win32' : 'other';

/** Escapes a name or a relative path for a gitignore pattern. */
export function literal(relative: string): string {
  return relative.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ');
}

/** Returns the pattern for one entry and its contents; the sign `!` makes an exception. */
export function patternOf(relative: string, isFolder: boolean, sign: '' | '!' = ''): string {
  return `${sign}/${literal(relative)}${isFolder ? '/' : ''}`;
}

/** Returns whether a pattern matches one path below a root, and not a name anywhere. */
export function isAnchored(pattern: string): boolean {
  return pattern.replace(/^!/, '').startsWith('/');
}

/** Returns whether an anchored pattern matches something inside of a folder; an empty `relative` is the root. */
export function isAnchoredBelow(pattern: string, relative: string): boolean {
  if (!isAnchored(pattern)) return false;
  const start = relative === '' ? '/' : `/${literal(relative)}/`;
  const place = pattern.replace(/^!/, '');
  return place.startsWith(start) && place.length > start.length;
}

/**
 * Rewrites an anchored pattern for a folder further up, which contains the present one at `relative` (a pattern
 * itself).
 */
export function movedDown(pattern: string, relative: string): string {
  return pattern.startsWith('!') ? `!/${relative}${pattern.slice(1)}` : `/${relative}${pattern}`;
}

/** Rewrites the patterns of a root for a folder inside of it. */
export function patternsInside(patterns: readonly string[], relative: string): readonly string[] {
  if (relative === '') return patterns;
  const start = `/${literal(relative)}`;
  return patterns.flatMap((pattern) => {
    if (!isAnchored(pattern)) return [pattern];
    if (!isAnchoredBelow(pattern, relative)) return [];
    return pattern.startsWith('!') ? [`!${pattern.slice(1 + start.length)}`] : [pattern.slice(start.length)];
  });
}

/** Returns a pattern as the field has it. */
export function patternIn(text: string, platform = PLATFORM): string {
  return typedPattern(text.trim(), platform);
}

/** Checks a typed pattern. */
export function patternProblem(text: string, others: readonly string[]): 'empty' | 'comment' | 'known' | undefined {
  const pattern = patternIn(text);
  if (pattern === '' || pattern === '!') return 'empty';
  if (pattern.startsWith('#')) return 'comment';
  return others.includes(pattern) ? 'known' : undefined;
}
