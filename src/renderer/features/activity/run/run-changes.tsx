import type { ReactElement } from 'react';
import type { OutputOf } from '../../../../base/calls/contract.ts';
import type { View, WindowMethods } from '../../../../ipc/contract/contract.ts';
import type { ListedRun } from '../../../../ipc/contract/activity.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { failureOf, useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { choosePoint, chooseSource } from '../../restore/store/restore-store.ts';
import { ChangedTree } from '../../../shared/changes/changed-tree.tsx';
import { sumsText } from '../../../shared/changes/sums-text.ts';
import { PAGE } from '../../../shared/changes/use-changed-folders.ts';
import '../../../shared/changes/changes.css';

interface RunChangesProps {
  readonly run: Pick<ListedRun, 'set' | 'destination'>;
  /** The one that the run made, ISO 8601. */
  readonly restorePoint: string;
  readonly onView: (view: View) => void;
}

/** What a backup changed: the files that were added, changed and removed since the restore point before it. */
export function RunChanges({ run: { set, destination }, restorePoint, onView }: RunChangesProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.activity.changes;
  const device = useAppState((state) => state.device?.name) ?? '';
  const compared = { set, destination, to: restorePoint };
  const answer = useCall('history.changed-folder', { ...compared, folder: '', first: 0, count: PAGE });
  const browse = (): void => {
    chooseSource({ set, deviceName: device });
    choosePoint(restorePoint);
    onView('restore');
  };
  // The history may not have this restore point yet, or no longer.
  const isUnknown =
    (answer.kind === 'failed' && failureOf(answer.failure).code === 'no_restore_point') ||
    (answer.kind === 'ready' && Date.parse(answer.value.to) !== Date.parse(restorePoint));
  return (
    <Panel title={words.title} actions={<Button onPress={browse}>{words.browse}</Button>}>
      {isUnknown ? (
        <p className="ui-soft">{words.unknown}</p>
      ) : (
        <Loaded resource={answer}>{(value) => <Changes compared={compared} value={value} />}</Loaded>
      )}
    </Panel>
  );
}

/** So many changed files are shown without a press. */
const FEW = 10;

interface ChangesProps {
  readonly compared: Parameters<typeof ChangedTree>[0]['compared'];
  readonly value: OutputOf<WindowMethods, 'history.changed-folder'>;
}

function Changes({ compared, value }: ChangesProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.activity.changes;
  const { sums, total, entries, from, isCut } = value;
  if (from === undefined) return <p className="ui-soft">{words.first}</p>;
  if (total === 0) return <p className="ui-soft">{words.none(formats.dateTime(from))}</p>;
  const { bytesBefore, bytesAfter } = sums;
  const text = sumsText(sums, language);
  return (
    <>
      <p className="act-change-lead">
        {text !== '' && (
          <strong>
            {words.sentence(text, formats.bytes(Math.abs(bytesAfter - bytesBefore)), bytesAfter >= bytesBefore)}
          </strong>
        )}{' '}
        <span className="ui-soft">{words.since(formats.dateTime(from))}</span>
      </p>
      <ChangedTree
        key={`${compared.destination} ${compared.to}`}
        compared={compared}
        top={{ entries, total }}
        isShort={sums.added + sums.changed + sums.removed <= FEW}
      />
      {isCut && <p className="ui-hint">{words.cut}</p>}
    </>
  );
}
