import type { ReactElement } from 'react';
import type { FreePlan, FreeReport } from '../../../ipc/contract/destination.ts';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useUiTexts } from '../../../ui/texts.ts';
import { call } from '../../bridge/bridge.ts';
import { useCall } from '../../bridge/use-call.ts';
import { useLanguage } from '../../shared/use-language.ts';

interface FreeSpaceDialogProps {
  readonly destination: ConfiguredDestination;
  /** Opens the choice of the restore points that are kept. */
  readonly onKeepFewer: () => void;
  readonly onClose: () => void;
}

/** Shows what can be freed at a destination, and frees it. */
export function FreeSpaceDialog(props: FreeSpaceDialogProps): ReactElement {
  const { destination, onClose } = props;
  const words = useLanguage().strings.home.space;
  const { cancel } = useUiTexts();
  const plan = useCall('destination.space', { destination: destination.id });
  return (
    <ModalDialog title={words.title(destination.name)} onClose={onClose}>
      <Loaded resource={plan}>{(found) => <FreeSpaceStep plan={found} {...props} />}</Loaded>
      {/* To find out takes minutes at a large bucket. */}
      {plan.kind !== 'ready' && (
        <div className="ui-actions">
          <Button onPress={onClose}>{cancel}</Button>
        </div>
      )}
    </ModalDialog>
  );
}

interface FreeSpaceStepProps extends FreeSpaceDialogProps {
  readonly plan: FreePlan;
}

function FreeSpaceStep({ plan, destination, onKeepFewer, onClose }: FreeSpaceStepProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.home.space;
  const { cancel } = useUiTexts();
  const { run, isPending, failure } = useAction();
  const { nowBytes, interruptedBytes, isSole, keepsDeleted, stoppedBy } = plan;
  const isFreeable = nowBytes > 0;
  const free = async (isShown: () => boolean): Promise<void> => {
    const report = await call('destination.free', { destination: destination.id, waivesDays: true });
    toast(resultOf(report));
    if (isShown()) onClose();
  };
  const resultOf = ({ freedBytes, keptBytes, isFull, keepsDeleted: keepsVersions }: FreeReport): string =>
    [
      words.freed(formats.bytes(freedBytes), destination.name),
      ...(keptBytes > 0
        ? [words[keepsVersions ? 'keptVersions' : 'kept'](formats.bytes(keptBytes), destination.name)]
        : []),
      ...(isFull ? [words.full] : []),
    ].join(' ');
  return (
    <>
      {stoppedBy && <p>{words.stopped[stoppedBy]}</p>}
      {!stoppedBy && <p>{isFreeable ? words.now(formats.bytes(nowBytes)) : words.nothing}</p>}
      {keepsDeleted && (isFreeable || plan.later.length > 0) && <p>{words.versions}</p>}
      {isFreeable && interruptedBytes > 0 && <p>{words.interrupted(formats.bytes(interruptedBytes))}</p>}
      {isFreeable && isSole && <p>{words.sole}</p>}
      {plan.later.map(({ at, bytes, because, waitsFor }) => (
        <p key={`${because} ${at} ${waitsFor.join(' ')}`}>
          {waitsFor.length > 0
            ? words.waits(formats.bytes(bytes), formats.day(at), formats.series(waitsFor))
            : words.later[because](formats.bytes(bytes), formats.day(at))}
        </p>
      ))}
      {isPending && (
        <p role="status" data-live-announcer>
          {words.busy}
        </p>
      )}
      <FailureNotice failure={failure} />
      <div className="ui-actions">
        <Button onPress={onClose}>{isFreeable && !isPending ? cancel : strings.common.close}</Button>
        {!isPending && <Button onPress={onKeepFewer}>{words.keepFewer}</Button>}
        {isFreeable && (
          <Button kind="primary" isPending={isPending} onPress={() => run(free)}>
            {words.confirm}
          </Button>
        )}
      </div>
    </>
  );
}
