import type { ReactElement, ReactNode } from 'react';
import { useUiTexts } from '../texts.ts';
import { FailureNotice } from './failure-notice.tsx';
import type { Resource } from './use-resource.ts';
import { Wait } from './wait.tsx';

interface LoadedProps<Value> {
  readonly resource: Resource<Value>;
  readonly children: (value: Value) => ReactNode;
}

/** Renders a loaded value; a placeholder while it loads, and the failure with a retry button if that fails. */
export function Loaded<Value>({ resource, children }: LoadedProps<Value>): ReactElement {
  const { loading } = useUiTexts();
  switch (resource.kind) {
    case 'waiting':
      return <Wait label={loading} />;
    case 'failed':
      return <FailureNotice failure={resource.failure} onRetry={resource.reload} />;
    case 'ready':
      return <>{children(resource.value)}</>;
  }
}
