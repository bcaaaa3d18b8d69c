import type { ReactElement } from 'react';
import type { OutputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import { call } from '../../../bridge/bridge.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { Facts } from '../shared/facts.tsx';

interface HostKeyDialogProps {
  /** The destination. */
  readonly id: string;
  readonly onAccepted: () => void;
  readonly onClose: () => void;
}

/** Compares the host key that the server presents with the accepted one, and lets the person accept another. */
export function HostKeyDialog(props: HostKeyDialogProps): ReactElement {
  const words = useLanguage().strings.settings.hostKey;
  const keys = useCall('destination.host-key', { destination: props.id });
  return (
    <ModalDialog title={words.title} onClose={props.onClose}>
      <Loaded resource={keys}>{(found) => <Comparison keys={found} {...props} />}</Loaded>
      {keys.kind === 'failed' && (
        <div className="ui-actions">
          <Button onPress={props.onClose}>{words.close}</Button>
        </div>
      )}
    </ModalDialog>
  );
}

interface ComparisonProps extends HostKeyDialogProps {
  readonly keys: OutputOf<WindowMethods, 'destination.host-key'>;
}

function Comparison({ keys: { accepted, presented }, id, onAccepted, onClose }: ComparisonProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings.hostKey;
  const { isPending, failure, run } = useAction();
  if (accepted === presented) {
    return (
      <>
        <p>{words.same}</p>
        <Facts facts={[[words.presented, presented]]} />
        <div className="ui-actions">
          <Button kind="primary" onPress={onClose}>
            {words.close}
          </Button>
        </div>
      </>
    );
  }
  const accept = (): void =>
    run(async () => {
      await call('destination.accept-host-key', { destination: id, fingerprint: presented });
      onAccepted();
    });
  return (
    <>
      <p>{words.changed}</p>
      <Facts
        facts={[
          [words.accepted, accepted],
          [words.presented, presented],
        ]}
      />
      <p>
        {strings.destinationChoice.hostKey.compare}
        <code className="settings-command">ssh-keyscan localhost | ssh-keygen -lf -</code>
      </p>
      <FailureNotice failure={failure} />
      <div className="ui-actions">
        <Button onPress={onClose}>{strings.common.cancel}</Button>
        <Button kind="danger" isPending={isPending} onPress={accept}>
          {words.accept}
        </Button>
      </div>
    </>
  );
}
