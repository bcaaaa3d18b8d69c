import type { ReactElement, ReactNode } from 'react';
import type { Tone } from '../theme/tone.ts';

interface NoticeProps {
  readonly tone: Tone;
  readonly children: ReactNode;
}

/** A message. Screen readers interrupt for a `bad` one only. */
export function Notice({ tone, children }: NoticeProps): ReactElement {
  return (
    <div className="ui-notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'} data-live-announcer>
      <div className="ui-stack-tight">{children}</div>
    </div>
  );
}
