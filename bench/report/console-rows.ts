/** Prints a table of text, the first column to the left and the others to the right. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]!.length)));
  for (const row of [columns, ...rows]) {
    console.log(
      row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]! + 2))).join(''),
    );
  }
}
