import type { ReactElement, ReactNode } from 'react';
import { Wait } from '../../ui/feedback/wait.tsx';
import type { Resource } from '../api/use-resource.ts';
import { useLanguage } from '../strings/language.ts';
import { FailureNotice } from './failure-notice.tsx';

interface LoadedProps<Value> {
  readonly resource: Resource<Value>;
  readonly children: (value: Value) => ReactNode;
}

/** What depends on an answer of the service, or what is said in its place. */
export function Loaded<Value>({ resource, children }: LoadedProps<Value>): ReactElement {
  const { strings } = useLanguage();
  switch (resource.kind) {
    case 'waiting':
      return <Wait label={strings.common.loading} />;
    case 'failed':
      return <FailureNotice failure={resource.failure} onRetry={resource.reload} />;
    case 'ready':
      return <>{children(resource.value)}</>;
  }
}
