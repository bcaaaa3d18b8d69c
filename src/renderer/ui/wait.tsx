import type { ReactElement } from 'react';

/** Something is on its way. */
export function Wait({ label }: { readonly label: string }): ReactElement {
  return (
    <div className="ui-wait" role="status">
      {label}
    </div>
  );
}
