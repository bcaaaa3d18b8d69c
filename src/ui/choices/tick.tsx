import type { ReactElement } from 'react';
import { Icon } from '../icon.tsx';

interface TickProps {
  readonly state: 'on' | 'partly' | 'off';
  /** It is on because its parent is. */
  readonly isInherited?: boolean;
}

/** The drawing of a tick box. Its parent element has the role and handles the keys. */
export function Tick({ state, isInherited = false }: TickProps): ReactElement {
  return (
    <span className="ui-tick" data-state={state} data-inherited={isInherited ? true : undefined}>
      {state !== 'off' && <Icon name={state === 'on' ? 'check' : 'minus'} />}
    </span>
  );
}
