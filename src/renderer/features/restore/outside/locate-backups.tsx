import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { toast } from '../../../../ui/feedback/toast.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { ChangeDestination } from '../../destination/change-destination.tsx';

interface LocateBackupsProps {
  readonly destination: ConfiguredDestination;
  readonly onFound: () => void;
}

/** Looks for backups that are not where they were, so that files can be restored from there. */
export function LocateBackups({ destination, onFound }: LocateBackupsProps): ReactElement {
  const words = useLanguage().strings.home.ways;
  const [isLooking, setLooking] = useState(false);
  return (
    <div>
      <Button onPress={() => setLooking(true)}>{words.locate}</Button>
      {isLooking && (
        <ChangeDestination
          change="move"
          destination={destination}
          onDone={(message) => {
            setLooking(false);
            toast(message);
            onFound();
          }}
          onClose={() => setLooking(false)}
        />
      )}
    </div>
  );
}
