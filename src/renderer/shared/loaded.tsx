import type { ReactElement, ReactNode } from 'react';
import { Wait } from '../../ui/feedback/wait.tsx';
import type { Answered } from '../bridge/use-answer.ts';
import { useLanguage } from './use-language.ts';
import { FailureNotice } from './failure-notice.tsx';

interface LoadedProps<Value> {
  readonly answer: Answered<Value>;
  readonly children: (value: Value) => ReactNode;
}

/** What depends on an answer, or what is said in its place. */
export function Loaded<Value>({ answer, children }: LoadedProps<Value>): ReactElement {
  const { strings } = useLanguage();
  switch (answer.kind) {
    case 'waiting':
      return <Wait label={strings.common.loading} />;
    case 'failed':
      return <FailureNotice failure={answer.failure} onRetry={answer.reload} />;
    case 'ready':
      return <>{children(answer.value)}</>;
  }
}
