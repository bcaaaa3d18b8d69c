import type { ReactElement, ReactNode } from 'react';
import { Checkbox } from '../choices/checkbox.tsx';

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

/** A box in the first cell of each row that can be chosen. */
export interface RowChoice<Row> {
  readonly isChoosable: (row: Row) => boolean;
  readonly isChosen: (row: Row) => boolean;
  /** Accessible name of a row's box. */
  readonly labelOf: (row: Row) => string;
  readonly onChoose: (row: Row, isChosen: boolean) => void;
}

interface DataTableProps<Row> {
  /** Accessible name. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly choice?: RowChoice<Row> | undefined;
}

/** A table that becomes a list of cards on a narrow screen. The first column names the row. */
export function DataTable<Row>({ caption, columns, rows, keyOf, choice }: DataTableProps<Row>): ReactElement {
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
          <tr key={keyOf(row)} data-chosen={choice?.isChosen(row) === true ? true : undefined}>
            {columns.map(({ id, label, align, cell, isLabelHidden }, index) => (
              <td key={id} data-align={align} data-label={isLabelHidden === true ? undefined : label}>
                {choice && index === 0 ? (
                  <span className="ui-table-choice">
                    {choice.isChoosable(row) ? (
                      <Checkbox
                        label={choice.labelOf(row)}
                        isSelected={choice.isChosen(row)}
                        onChange={(isChosen) => choice.onChoose(row, isChosen)}
                      >
                        {''}
                      </Checkbox>
                    ) : (
                      <span className="ui-table-no-choice" />
                    )}
                    {cell(row)}
                  </span>
                ) : (
                  cell(row)
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
