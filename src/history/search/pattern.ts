import { fold } from './fold.ts';

/** What is searched: names, or where the text has a `/`, paths. Everything in it is folded (fold.ts). */
export interface Pattern {
  readonly matchesName: (name: string) => boolean;
  /** `undefined` if every folder counts. @param folder its path */
  readonly matchesFolder: ((folder: string) => boolean) | undefined;
  /** Texts that every matching name contains, the longest first. */
  readonly literals: readonly string[];
}

/** Longest text that is searched, in UTF-16 code units. */
export const MOST_PATTERN = 1000;

/**
 * Parses a pattern. One with `*`, `?` or `[` is a glob that a whole name matches, or with a `/` the end of a path: whole segments, of which
 * `**` stands for any number. A backslash takes the meaning from the character after it. Any other text is looked for anywhere in names; with
 * a `/`, in paths, where it ends in the entry's own name.
 */
export function parsePattern(text: string): Pattern {
  const folded = fold(text.slice(0, MOST_PATTERN));
  return /[*?]|\[[^/]+\]/.test(folded.replaceAll(/\\./gsu, '')) ? globPattern(folded) : textPattern(unescaped(folded));
}

function textPattern(text: string): Pattern {
  const slash = text.lastIndexOf('/');
  if (slash === -1) {
    return {
      matchesName: (name) => name.includes(text),
      matchesFolder: undefined,
      literals: text === '' ? [] : [text],
    };
  }
  const [above, start] = [text.slice(0, slash), text.slice(slash + 1)];
  return {
    matchesName: (name) => name.startsWith(start),
    matchesFolder: (folder) => folder.endsWith(above),
    literals: start === '' ? [] : [start],
  };
}

type Token =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'class'; readonly isNegated: boolean; readonly ranges: readonly (readonly [string, string])[] };

type Segment = readonly Token[] | 'segments';

function globPattern(text: string): Pattern {
  const segments = text.split('/').map((segment): Segment => (segment === '**' ? 'segments' : tokensOf(segment)));
  const last = segments.pop()!;
  const own = last === 'segments' ? tokensOf('*') : last;
  // Everything below what the segments before it match.
  const above: readonly Segment[] = last === 'segments' ? [...segments, 'segments'] : segments;
  const matchesName = (name: string): boolean => matchesTokens(own, Array.from(name));
  const literals = literalsOf(own);
  if (above.length === 0) return { matchesName, matchesFolder: undefined, literals };
  // A leading slash is the root; every other pattern may begin at any folder.
  const isAbsolute = text.startsWith('/');
  const folders: readonly Segment[] = isAbsolute ? above : ['segments', ...above];
  return { matchesName, matchesFolder: (folder) => matchesSegments(folders, folder.split('/')), literals };
}

function tokensOf(segment: string): readonly Token[] {
  const characters = Array.from(segment);
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]!;
    if (character === '*') tokens.push({ kind: 'star' });
    else if (character === '?') tokens.push({ kind: 'any' });
    else if (character === '\\' && at + 1 < characters.length) {
      at += 1;
      tokens.push({ kind: 'character', character: characters[at]! });
    } else {
      const end = character === '[' ? characters.indexOf(']', at + 2) : -1;
      if (end === -1) tokens.push({ kind: 'character', character });
      else {
        tokens.push(classOf(characters.slice(at + 1, end)));
        at = end;
      }
    }
  }
  return tokens;
}

function classOf(characters: readonly string[]): Token {
  const isNegated = characters[0] === '!' || characters[0] === '^';
  const inside = isNegated ? characters.slice(1) : characters;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < inside.length; at += 1) {
    const isRange = inside[at + 1] === '-' && at + 2 < inside.length;
    ranges.push([inside[at]!, isRange ? inside[at + 2]! : inside[at]!]);
    if (isRange) at += 2;
  }
  return { kind: 'class', isNegated, ranges };
}

function literalsOf(tokens: readonly Token[]): readonly string[] {
  const literals = [''];
  for (const token of tokens) {
    if (token.kind === 'character') literals.push(literals.pop()! + token.character);
    else literals.push('');
  }
  return literals.filter((literal) => literal !== '').toSorted((a, b) => b.length - a.length);
}

function matchesTokens(tokens: readonly Token[], characters: readonly string[]): boolean {
  return matchesAll(tokens, characters, (token) => token.kind === 'star', matchesToken);
}

function matchesToken(token: Token, character: string): boolean {
  switch (token.kind) {
    case 'character':
      return token.character === character;
    case 'any':
    case 'star':
      return true;
    case 'class': {
      const point = character.codePointAt(0)!;
      const isInside = token.ranges.some(
        ([low, high]) => low.codePointAt(0)! <= point && point <= high.codePointAt(0)!,
      );
      return isInside !== token.isNegated;
    }
  }
}

function matchesSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  const matches = (segment: Segment, name: string): boolean =>
    segment === 'segments' || matchesTokens(segment, Array.from(name));
  return matchesAll(segments, names, (segment) => segment === 'segments', matches);
}

/** Compares without recursion: a mismatch gives the last star one more item, and earlier stars never another one. */
function matchesAll<Test, Item>(
  tests: readonly Test[],
  items: readonly Item[],
  isStar: (test: Test) => boolean,
  matches: (test: Test, item: Item) => boolean,
): boolean {
  let test = 0;
  let item = 0;
  let star: { readonly test: number; item: number } | undefined;
  while (item < items.length) {
    if (test < tests.length && isStar(tests[test]!)) {
      star = { test, item };
      test += 1;
    } else if (test < tests.length && matches(tests[test]!, items[item]!)) {
      test += 1;
      item += 1;
    } else {
      if (!star) return false;
      star.item += 1;
      item = star.item;
      test = star.test + 1;
    }
  }
  while (test < tests.length && isStar(tests[test]!)) test += 1;
  return test === tests.length;
}

function unescaped(text: string): string {
  return process.platform === 'win32' ? text : text.replaceAll(/\\([*?[\]\\])/g, '$1');
}
