import { useState } from 'react';
import type { ReactElement } from 'react';
import type { OutputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import type { UndoOutcome } from '../../../../ipc/contract/restore/restore.ts';
import { call } from '../../../bridge/bridge.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { IconButton } from '../../../../ui/buttons/icon-button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { NotUndone } from './not-undone.tsx';
import './undo-last.css';

interface UndoLastProps {
  /** Offers only to undo the restore whose result this is. */
  readonly result?: {
    readonly set: string;
    readonly restorePoint: string | undefined;
    readonly endedAt: number | undefined;
  };
  readonly onUndone?: (outcome: UndoOutcome) => void;
}

/** The last restore to the original place, which can be undone for seven days, and what became of it. */
export function UndoLast({ result, onUndone }: UndoLastProps): ReactElement | null {
  const { strings, formats } = useLanguage();
  const words = strings.restore.undo;
  const undoable = useCall('restore.undoable', {});
  const preferences = useAppState((state) => state.preferences);
  const undoing = useAction();
  const dismissing = useAction();
  const [outcome, setOutcome] = useState<UndoOutcome>();
  if (outcome) {
    return (
      <Undone
        outcome={outcome}
        onClose={
          // The view of the result has a button that ends it.
          result
            ? undefined
            : () => {
                setOutcome(undefined);
                undoable.reload();
              }
        }
      />
    );
  }
  const last = undoable.kind === 'ready' ? undoable.value.last : undefined;
  if (!last || (result && !isOf(last, result))) return null;
  const { startedAt, set, replaced, moved, created, isBegun } = last;
  const whatItDid = [words.what(replaced, created), moved > 0 ? words.moved(moved) : ''].join(' ').trim();
  const isOffer = !result && !isBegun;
  if (isOffer && preferences?.dismissedUndo === startedAt) return null;
  const when = formats.when(startedAt);
  const text = isBegun ? words.begun(set, when) : result ? words.offer : words.last(set, when);
  return (
    <Notice tone="plain">
      <div className={isOffer ? 'undo-last undo-last-offer' : 'undo-last'}>
        <p className={isOffer ? 'ui-ellipsis undo-last-text' : 'undo-last-text'} title={isOffer ? text : undefined}>
          {text} <span className="ui-soft">{whatItDid}</span>
        </p>
        <div className="undo-last-actions">
          <Button
            kind={isOffer ? 'quiet' : 'plain'}
            isPending={undoing.isPending}
            onPress={() =>
              undoing.run(async () => {
                const undone = await call('restore.undo', { startedAt });
                setOutcome(undone);
                onUndone?.(undone);
              })
            }
          >
            {isBegun ? words.goOn : words.undo}
          </Button>
          {isOffer && preferences && (
            <IconButton
              icon="close"
              label={words.dismiss}
              onPress={() =>
                dismissing.run(() =>
                  call('preferences.save', { preferences: { ...preferences, dismissedUndo: startedAt } }),
                )
              }
            />
          )}
        </div>
      </div>
      <FailureNotice failure={undoing.failure ?? dismissing.failure} />
    </Notice>
  );
}

type Undoable = NonNullable<OutputOf<WindowMethods, 'restore.undoable'>['last']>;

/** Returns whether the restore that can be undone is the one of a result: none of the same restore point that ended before it. */
function isOf(
  last: Undoable,
  { set, restorePoint, endedAt = Infinity }: NonNullable<UndoLastProps['result']>,
): boolean {
  return last.set === set && last.restorePoint === restorePoint && last.startedAt <= endedAt;
}

interface UndoneProps {
  readonly outcome: UndoOutcome;
  readonly onClose: (() => void) | undefined;
}

function Undone({ outcome, onClose }: UndoneProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.undo;
  const showing = useAction();
  const { putBack, movedAside, movedTo, notUndoneTotal } = outcome;
  const [folder] = movedTo;
  return (
    <Notice tone={notUndoneTotal === 0 ? 'good' : 'warning'}>
      <div className="ui-stack-tight">
        <p>
          <strong>{notUndoneTotal === 0 ? words.done : words.partly}</strong> {words.putBack(putBack)}
        </p>
        {folder !== undefined && <p>{words.movedTo(movedAside, folder)}</p>}
        <NotUndone outcome={outcome} />
        <FailureNotice failure={showing.failure} />
        <div className="ui-actions">
          {folder !== undefined && (
            <Button onPress={() => showing.run(() => call('shell.show-path', { path: folder }))}>
              {words.showMoved}
            </Button>
          )}
          {onClose && <Button onPress={onClose}>{strings.common.close}</Button>}
        </div>
      </div>
    </Notice>
  );
}
