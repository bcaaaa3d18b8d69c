import stringWidth from 'string-width';

/**
 * Lays rows out in columns. The last column is not padded; `right` are the columns of numbers. Widths are those that a
 * terminal shows: two for a wide character (CJK, emoji), none for a combining mark.
 */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell))));
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const padding = ' '.repeat(widths[column]! - stringWidth(cell));
        if (right.includes(column)) return padding + cell;
        return column === row.length - 1 ? cell : cell + padding;
      })
      .join('  ')
      .trimEnd(),
  );
}
