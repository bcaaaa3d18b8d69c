import { PARTS, type Part } from './matrix.ts';

const BEGIN = '<!-- The map of parts, written by `npm run parts` -->';
const END = '<!-- The end of the map -->';

/** Returns the map of the parts as a table of Markdown. */
export function mapOfParts(parts: readonly Part[] = PARTS): string {
  const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' ') || '–';
  const rows = parts.map(({ name, is, runs, uses, types }) => {
    const onlyTypes = types.length === 0 ? '' : `; types of ${list(types)}`;
    return `| \`${name}\` | ${is} | ${runs} | ${list(uses)}${onlyTypes} |`;
  });
  return ['| Part | What it is | Runs in | Uses |', '|---|---|---|---|', ...rows].join('\n');
}

/** Returns a page with the map in the place of the one that it has. @throws Error if it has no place for one */
export function withMap(page: string, map: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('the page has no place for the map');
  return `${page.slice(0, begin)}${BEGIN}\n\n${map}\n\n${page.slice(end)}`;
}
