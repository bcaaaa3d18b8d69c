import type { ReactElement } from 'react';

/** Placeholder lines while something loads. They appear after a delay, so that a quick answer shows none. */
export function Wait({ label }: { readonly label: string }): ReactElement {
  return (
    <div className="ui-wait" role="status" data-live-announcer>
      <span className="ui-hidden">{label}</span>
      <span className="ui-skeleton" />
      <span className="ui-skeleton" />
      <span className="ui-skeleton" />
    </div>
  );
}
