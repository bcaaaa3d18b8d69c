import type { ReactElement } from 'react';
import type { Tone } from '../theme/tone.ts';

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }): ReactElement {
  return (
    <span className="ui-badge" data-tone={tone}>
      {children}
    </span>
  );
}
