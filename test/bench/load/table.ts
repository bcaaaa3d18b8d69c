/** Prints a table with right-aligned numbers. */
export function printTable(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [columns, ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((row) => row[index]!.length)));
  console.log(`\n${title}`);
  for (const row of all) {
    console.log(
      row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!))).join('  '),
    );
  }
}

export function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
