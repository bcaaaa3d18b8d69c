import type { Measurement } from './results.ts';
import { COLUMNS, describe, rowsOf } from './rows.ts';

const LABEL_WIDTH = 24;
const CELL_WIDTH = 18;

/** Formats a block of lines for each measurement. */
export function consoleTable(measurements: readonly Measurement[]): string {
  return measurements.map(block).join('\n\n');
}

function block(measurement: Measurement): string {
  const rows = rowsOf(measurement).map(({ label, cells }) => line(label, cells));
  return [`${measurement.id}: ${describe(measurement)}`, line('', COLUMNS), ...rows].join('\n');
}

function line(label: string, cells: readonly string[]): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')}`;
}
