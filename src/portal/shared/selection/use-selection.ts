import { useState } from 'react';

export interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Selection {
  /** In the order in which they were chosen, also from other pages and searches. */
  readonly chosen: readonly Named[];
  readonly has: (id: string) => boolean;
  readonly choose: (rows: readonly Named[], isChosen: boolean) => void;
  readonly clear: () => void;
}

/** Rows of a table that somebody chose, also while the table shows others. */
export function useSelection(): Selection {
  const [rows, setRows] = useState<ReadonlyMap<string, Named>>(new Map());
  return {
    chosen: [...rows.values()],
    has: (id) => rows.has(id),
    choose: (changed, isChosen) =>
      setRows((earlier) => {
        const next = new Map(earlier);
        for (const row of changed) {
          if (isChosen) next.set(row.id, row);
          else next.delete(row.id);
        }
        return next;
      }),
    clear: () => setRows(new Map()),
  };
}
