import type { ReactElement, ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  /** Above the column, or before each cell on a narrow screen. */
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly align?: 'end';
  readonly cell: (row: Row) => ReactNode;
}

/** The last column, with buttons that act on a row. Its label is read out and not shown. */
export function actionsColumn<Row>(label: string, cell: (row: Row) => ReactNode): Column<Row> {
  return { id: 'actions', label, isLabelHidden: true, align: 'end', cell };
}

interface DataTableProps<Row> {
  /** Accessible name. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** A table that becomes a list of cards on a narrow screen. The first column names the row. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>): ReactElement {
  return (
    <table className="ui-table">
      <caption className="ui-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ id, label, align, isLabelHidden }) => (
            <th key={id} scope="col" data-align={align}>
              {isLabelHidden === true ? <span className="ui-hidden">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ id, label, align, cell, isLabelHidden }) => (
              <td key={id} data-align={align} data-label={isLabelHidden === true ? undefined : label}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
