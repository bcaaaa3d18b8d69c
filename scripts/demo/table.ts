/** Formats rows under a heading, with the first column left-aligned and numbers right-aligned. */
export class Table {
  readonly #widths: readonly number[];

  constructor(headings: readonly [title: string, ...columns: string[]], titleWidth: number, columnWidth: number) {
    this.#widths = headings.map((_, index) => (index === 0 ? titleWidth : columnWidth));
    console.log(`\n${this.#line(headings)}`);
  }

  row(title: string, ...cells: readonly string[]): void {
    console.log(this.#line([title, ...cells]));
  }

  #line(cells: readonly string[]): string {
    const padded = cells.map((cell, index) =>
      index === 0 ? cell.padEnd(this.#widths[index] ?? 0) : cell.padStart(this.#widths[index] ?? 0),
    );
    return `  ${padded.join('')}`;
  }
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units, three digits at most: `48 B`, `1.4 MB`, `312 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
