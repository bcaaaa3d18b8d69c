import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { ChangeDestination } from '../../destination/change-destination.tsx';
import type { DestinationChange } from '../../destination/change-destination.tsx';
import type { DestinationPartProps } from './destination-part-props.ts';
import { DestinationPart } from './destination-part.tsx';
import { DestinationsPart } from './destinations-part.tsx';

/** The destination of backups, or several of them, and the steps that change them. */
export function DestinationSettings({ onView }: Pick<DestinationPartProps, 'onView'>): ReactElement {
  const hasSeveral = useAppState(({ destinations }) => destinations.length > 1) === true;
  const [change, setChange] = useState<{
    readonly what: DestinationChange;
    readonly destination: ConfiguredDestination;
  }>();
  const [message, setMessage] = useState<string>();
  const Part = hasSeveral ? DestinationsPart : DestinationPart;
  return (
    <>
      <Part message={message} onView={onView} onChange={(what, destination) => setChange({ what, destination })} />
      {change && (
        <ChangeDestination
          change={change.what}
          destination={change.destination}
          onDone={(done) => {
            setChange(undefined);
            setMessage(done);
          }}
          onClose={() => setChange(undefined)}
        />
      )}
    </>
  );
}
