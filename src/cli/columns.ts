import { createRequire } from 'node:module';
import type StringWidth from 'string-width';

const require = createRequire(import.meta.url);
/** Loaded for the first cell that needs it: its tables take half of the time in which a command starts. */
let stringWidth: typeof StringWidth | undefined;

/** Returns the number of columns that a terminal shows a text in. */
function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  stringWidth ??= (require('string-width') as { readonly default: typeof StringWidth }).default;
  return stringWidth(text);
}

/**
 * Lays rows out in columns. The last column is not padded; `right` are the columns of numbers. Widths are those that a
 * terminal shows: two for a wide character (CJK, emoji), none for a combining mark.
 */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))));
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const padding = ' '.repeat(widths[column]! - widthOf(cell));
        if (right.includes(column)) return padding + cell;
        return column === row.length - 1 ? cell : cell + padding;
      })
      .join('  ')
      .trimEnd(),
  );
}
