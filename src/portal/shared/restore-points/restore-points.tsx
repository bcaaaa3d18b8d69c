import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import type { RestorePoint } from '../../../protocol/extensions.ts';
import type { PortalBackupSet } from '../../../protocol/portal/portal.ts';
import type { RetainedPoint, RetentionState } from '../../../protocol/retention.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { backups } from '../../api/calls.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { useLanguage } from '../../strings/language.ts';
import { Keeping } from './keeping.tsx';
import { PolicyForm } from './policy-form.tsx';
import { RetentionSummary } from './retention-summary.tsx';
import './backups.css';

/** Rows of the table. */
const SHOWN = 200;

interface RestorePointsProps {
  readonly set: PortalBackupSet;
  readonly mayManage: boolean;
  readonly onClose: () => void;
}

/** The restore points of a set, why each is kept, and the retention policy. */
export function RestorePoints({ set, mayManage, onClose }: RestorePointsProps): ReactElement {
  const { strings } = useLanguage();
  const { device_id: device, name } = set;
  const [isChanging, setChanging] = useState(false);
  const known = useResource(
    useCallback(async () => {
      const asked = { action: 'show', device_id: device, backup_set: name } as const;
      const [{ restore_points: points }, { state }] = await Promise.all([
        backups.points(device, name),
        backups.retention(asked),
      ]);
      return { points, state };
    }, [device, name]),
  );
  const title = isChanging ? strings.retention.changeOf(name) : strings.backups.pointsOf(name, set.device_name);
  return (
    <ModalDialog title={title} onClose={onClose}>
      <div className="ui-stack portal-wide">
        <Loaded resource={known}>
          {({ points, state }) =>
            isChanging ? (
              <PolicyForm
                set={set}
                policy={state.policy}
                onDone={() => {
                  setChanging(false);
                  known.reload();
                }}
                onBack={() => setChanging(false)}
              />
            ) : (
              <>
                <RetentionSummary set={set} state={state} mayManage={mayManage} onChanged={known.reload} />
                <PointTable set={set} points={points} state={state} mayManage={mayManage} onChanged={known.reload} />
                <div className="ui-actions">
                  {mayManage && <Button onPress={() => setChanging(true)}>{strings.retention.change}</Button>}
                  <Button kind="primary" onPress={onClose}>
                    {strings.common.close}
                  </Button>
                </div>
              </>
            )
          }
        </Loaded>
      </div>
    </ModalDialog>
  );
}

interface PointTableProps {
  readonly set: PortalBackupSet;
  /** Newest first. */
  readonly points: readonly RestorePoint[];
  readonly state: RetentionState;
  readonly mayManage: boolean;
  readonly onChanged: () => void;
}

function PointTable({ set, points, state, mayManage, onChanged }: PointTableProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.backups;
  const action = useAction();
  const kept = new Map(state.points.map((point) => [point.backup_id, point]));
  const saysWhy = state.policy !== null || state.points.some(({ pinned }) => pinned);
  const whereKept =
    (show: (point: RetainedPoint) => ReactElement) =>
    ({ backup_id: id }: RestorePoint): ReactElement | undefined => {
      const point = kept.get(id);
      return point && show(point);
    };
  const change = (point: RetainedPoint): void => {
    const place = { device_id: set.device_id, backup_set: set.name, backup_id: point.backup_id };
    action.run(() => backups.retention({ action: point.pinned ? 'unpin' : 'pin', ...place }).then(onChanged));
  };
  return (
    <>
      <DataTable
        caption={words.pointsOf(set.name, set.device_name)}
        rows={points.slice(0, SHOWN)}
        keyOf={({ backup_id: id }) => id}
        columns={[
          { id: 'time', label: words.time, cell: ({ restore_point: time }) => formats.dateTime(time) },
          { id: 'files', label: words.files, align: 'end', cell: ({ files }) => formats.number(files) },
          { id: 'size', label: words.size, align: 'end', cell: ({ bytes }) => formats.bytes(bytes) },
          ...(saysWhy
            ? [
                {
                  id: 'stays',
                  label: strings.retention.stays,
                  cell: whereKept((point) => <Keeping point={point} hasPolicy={state.policy !== null} />),
                },
              ]
            : []),
          ...(mayManage
            ? [
                actionsColumn(
                  strings.common.actions,
                  whereKept((point) => <PinButton point={point} onPress={() => change(point)} />),
                ),
              ]
            : []),
        ]}
      />
      {points.length > SHOWN && <p className="ui-soft">{words.more(points.length - SHOWN)}</p>}
      <FailureNotice failure={action.failure} />
    </>
  );
}

function PinButton({ point, onPress }: { readonly point: RetainedPoint; readonly onPress: () => void }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.retention;
  const time = formats.dateTime(point.restore_point);
  return (
    <Button kind="quiet" label={point.pinned ? words.unpinOf(time) : words.pinOf(time)} onPress={onPress}>
      {point.pinned ? words.unpin : words.pin}
    </Button>
  );
}
