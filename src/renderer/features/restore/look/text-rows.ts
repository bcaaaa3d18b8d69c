import { diffArrays } from 'diff';

/** Characters in a row. A longer line goes on in the next one, so that no row takes long to draw. */
const LONGEST_ROW = 1_000;
/** Lines around a difference that are shown with it. */
const CONTEXT = 3;
/** Limits of a comparison, which blocks the window. */
const MOST_EDITS = 4_000;
const MOST_MILLISECONDS = 250;

export type TextRow =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  /** Equal lines that are not shown. */
  | { readonly kind: 'left-out'; readonly lines: number };

export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The rows of a text. */
export function rowsOf(text: string): readonly TextRow[] {
  return linesOf(text).flatMap((line) => cut(line).map((part): TextRow => ({ kind: 'same', text: part })));
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
  return lines.flatMap((line) => cut(line).map((text): TextRow => ({ kind, text })));
}

function cut(line: string): readonly string[] {
  if (line.length <= LONGEST_ROW) return [line];
  return Array.from({ length: Math.ceil(line.length / LONGEST_ROW) }, (_, index) =>
    line.slice(index * LONGEST_ROW, (index + 1) * LONGEST_ROW),
  );
}
