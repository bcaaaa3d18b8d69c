import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { DestinationChoice } from '../../../ipc/contract/setup.ts';
import { failureOf } from '../../bridge/use-call.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import type { ChoiceOf } from './destination-draft.ts';

interface DestinationFailureProps {
  readonly choice: DestinationChoice | undefined;
  /** The error of the trial. */
  readonly failure: unknown;
  /** Called with the fingerprint in the choice. */
  readonly onConfirm: (choice: DestinationChoice) => void;
}

/** Shows why a destination failed, or asks about the host key of an SSH server. */
export function DestinationFailure({ choice, failure, onConfirm }: DestinationFailureProps): ReactElement | null {
  const fingerprint = failure === undefined ? undefined : unconfirmedKey(failure);
  if (fingerprint === undefined || choice?.kind !== 'sftp') return <FailureNotice failure={failure} />;
  return <HostKeyQuestion choice={choice} fingerprint={fingerprint} onConfirm={onConfirm} />;
}

interface HostKeyQuestionProps {
  readonly choice: ChoiceOf<'sftp'>;
  readonly fingerprint: string;
  readonly onConfirm: (choice: DestinationChoice) => void;
}

function HostKeyQuestion({ choice, fingerprint, onConfirm }: HostKeyQuestionProps): ReactElement {
  const words = useLanguage().strings.destinationChoice.hostKey;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // It appears below the fields.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={box} className="destination-question">
      <Notice tone="warning">
        <h2>{words.title(choice.host.trim())}</h2>
        <p>{words.text}</p>
        <p>
          <span className="ui-hidden">{words.fingerprint}: </span>
          <code className="destination-fingerprint">{fingerprint}</code>
        </p>
        <p>
          {words.compare}
          <code className="destination-command">ssh-keyscan localhost | ssh-keygen -lf -</code>
        </p>
        <div>
          <Button onPress={() => onConfirm({ ...choice, hostKey: fingerprint })}>{words.confirm}</Button>
        </div>
      </Notice>
    </div>
  );
}

/** Returns the fingerprint that nobody has confirmed, if that is the failure. */
function unconfirmedKey(failure: unknown): string | undefined {
  const { code, details } = failureOf(failure);
  if (code !== 'usage' || !('problem' in details) || details.problem !== 'host-key-unconfirmed') return undefined;
  return details.fingerprint || undefined;
}
