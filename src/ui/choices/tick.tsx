import type { ReactElement } from 'react';
import { Icon } from '../icon.tsx';

interface TickProps {
  readonly state: 'on' | 'partly' | 'off';
  /** It is on since what it lies in is. */
  readonly isInherited?: boolean;
}

/** The box of something that can be ticked, as it is drawn; what it stands in has the role and hears the keys. */
export function Tick({ state, isInherited = false }: TickProps): ReactElement {
  return (
    <span className="ui-tick" data-state={state} data-inherited={isInherited ? true : undefined}>
      {state !== 'off' && <Icon name={state === 'on' ? 'check' : 'minus'} />}
    </span>
  );
}
