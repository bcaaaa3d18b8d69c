import { diffArrays } from 'diff';

/** Characters in a row. A longer line goes on in the next one, if possible at a space, so that paragraphs can be read. */
const LONGEST_ROW = 80;
/** Lines around a difference that are shown with it. */
const CONTEXT = 3;
/** Limits of a comparison, which blocks the window. */
const MOST_EDITS = 4_000;
const MOST_MILLISECONDS = 250;

export type TextRow =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string; readonly isContinued: boolean }
  /** Equal lines that are not shown. */
  | { readonly kind: 'left-out'; readonly lines: number };

export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The rows of a text. */
export function rowsOf(text: string): readonly TextRow[] {
  return rowsAs('same', linesOf(text));
}

/** The number of lines that were added or removed; a long one has several rows. */
export function linesIn(rows: readonly TextRow[], kind: 'added' | 'removed'): number {
  return rows.filter((row) => row.kind === kind && !row.isContinued).length;
}

/** The differences of two texts with the lines around them; `undefined` if they have too little in common to be compared. */
export function differenceOf(before: string, after: string): readonly TextRow[] | undefined {
  const changes = diffArrays([...linesOf(before)], [...linesOf(after)], {
    maxEditLength: MOST_EDITS,
    timeout: MOST_MILLISECONDS,
  });
  if (!changes) return undefined;
  return changes.flatMap(({ added, removed, value }, index): readonly TextRow[] => {
    if (added || removed) return rowsAs(added ? 'added' : 'removed', value);
    const head = index === 0 ? 0 : CONTEXT;
    const tail = index === changes.length - 1 ? 0 : CONTEXT;
    const leftOut = value.length - head - tail;
    if (leftOut <= 1) return rowsAs('same', value);
    return [
      rowsAs('same', value.slice(0, head)),
      { kind: 'left-out', lines: leftOut } as const,
      rowsAs('same', value.slice(value.length - tail)),
    ].flat();
  });
}

function rowsAs(kind: 'same' | 'added' | 'removed', lines: readonly string[]): readonly TextRow[] {
  return lines.flatMap((line) => cut(line).map((text, index): TextRow => ({ kind, text, isContinued: index > 0 })));
}

function cut(line: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  while (line.length - start > LONGEST_ROW) {
    const end = endOfRow(line, start);
    parts.push(line.slice(start, end));
    start = end;
  }
  return [...parts, line.slice(start)];
}

/** After the last space that fits, unless that would leave most of the row empty. */
function endOfRow(line: string, start: number): number {
  const most = start + LONGEST_ROW;
  // In this row alone: a search from its end would go on to the beginning of the line, for each row of a line without spaces.
  const space = line.slice(start, most).lastIndexOf(' ');
  if (space > LONGEST_ROW / 2) return start + space + 1;
  // A character of two units stays whole.
  return /[\uD800-\uDBFF]/.test(line.charAt(most - 1)) ? most - 1 : most;
}
