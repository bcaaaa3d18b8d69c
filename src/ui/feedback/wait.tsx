import type { ReactElement } from 'react';

/** Something is on its way: bars where lines will be. Nothing is seen of it where the answer comes at once. */
export function Wait({ label }: { readonly label: string }): ReactElement {
  return (
    <div className="ui-wait" role="status">
      <span className="ui-hidden">{label}</span>
      <span className="ui-skeleton" />
      <span className="ui-skeleton" />
      <span className="ui-skeleton" />
    </div>
  );
}
