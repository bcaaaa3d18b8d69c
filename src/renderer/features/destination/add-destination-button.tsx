import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { useAppState } from '../../bridge/use-app-state.ts';
import { ChangeDestination } from './change-destination.tsx';

interface AddDestinationButtonProps {
  readonly label: string;
}

/** Opens the steps that add a destination. */
export function AddDestinationButton({ label }: AddDestinationButtonProps): ReactElement | null {
  const preferred = useAppState((state) => state.destinations[0]);
  const [isOpen, setOpen] = useState(false);
  if (!preferred) return null;
  return (
    <>
      <Button onPress={() => setOpen(true)}>{label}</Button>
      {isOpen && (
        <ChangeDestination
          change="add"
          destination={preferred}
          onDone={(message) => {
            setOpen(false);
            toast(message);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
