import type { ReactElement } from 'react';
import type { Failure } from '../../../base/errors/failure.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { ElsewhereButtons } from './elsewhere-buttons.tsx';

interface DestinationRemediesProps {
  readonly failure: Failure;
  readonly onMended: () => void;
}

/** What mends a request that failed because its destination cannot be found. */
export function DestinationRemedies({ failure, onMended }: DestinationRemediesProps): ReactElement | null {
  const destinations = useAppState((state) => state.destinations) ?? [];
  if (failure.code !== 'destination_missing') return null;
  const { directory } = failure.details;
  const destination = destinations.find(({ location }) => location === directory);
  return destination ? <ElsewhereButtons destination={destination} onDone={onMended} /> : null;
}
