/** A name or a relative path, as a gitignore pattern that means just that. */
export function literal(relative: string): string {
  return relative.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ');
}

/** The pattern for one entry and what is in it; `sign` `!` takes it back. */
export function patternOf(relative: string, isFolder: boolean, sign: '' | '!' = ''): string {
  return `${sign}/${literal(relative)}${isFolder ? '/' : ''}`;
}

/** It is about one place below a root, not about a name anywhere. */
export function isAnchored(pattern: string): boolean {
  return pattern.replace(/^!/, '').startsWith('/');
}

/** It is about something inside of a folder; an empty `relative` is the root. */
export function isAnchoredBelow(pattern: string, relative: string): boolean {
  if (!isAnchored(pattern)) return false;
  const start = relative === '' ? '/' : `/${literal(relative)}/`;
  const place = pattern.replace(/^!/, '');
  return place.startsWith(start) && place.length > start.length;
}

/** An anchored pattern of a folder, for another one that holds it at `relative` (a pattern itself). */
export function movedDown(pattern: string, relative: string): string {
  return pattern.startsWith('!') ? `!/${relative}${pattern.slice(1)}` : `/${relative}${pattern}`;
}

/** What is left of a root's patterns for a folder inside it, when that is looked at by itself. */
export function patternsInside(patterns: readonly string[], relative: string): readonly string[] {
  if (relative === '') return patterns;
  const start = `/${literal(relative)}`;
  return patterns.flatMap((pattern) => {
    if (!isAnchored(pattern)) return [pattern];
    if (!isAnchoredBelow(pattern, relative)) return [];
    return pattern.startsWith('!') ? [`!${pattern.slice(1 + start.length)}`] : [pattern.slice(start.length)];
  });
}

/** What is wrong with a line that a person wrote, if anything. */
export function patternProblem(text: string, others: readonly string[]): 'empty' | 'comment' | 'known' | undefined {
  const pattern = text.trim();
  if (pattern === '' || pattern === '!') return 'empty';
  if (pattern.startsWith('#')) return 'comment';
  return others.includes(pattern) ? 'known' : undefined;
}
