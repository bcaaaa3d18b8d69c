import { useState } from 'react';
import type { ReactElement } from 'react';
import type { RestorePoint } from '../../../../model/restore-point.ts';
import { Select } from '../../../../ui/choices/select.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useCall } from '../../../bridge/use-call.ts';
import { ChangedTree } from '../../../shared/changes/changed-tree.tsx';
import { sumsText } from '../../../shared/changes/sums-text.ts';
import { PAGE } from '../../../shared/changes/use-changed-folders.ts';
import { distinctTimes } from '../../../shared/distinct-times.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Source } from '../store/restore-store.ts';

interface CompareDialogProps {
  readonly source: Source;
  /** Newest first; at least two. */
  readonly points: readonly RestorePoint[];
  /** The later one at first. */
  readonly point: RestorePoint;
  readonly onClose: () => void;
}

/** What changed between any two restore points, as a tree with counts. */
export function CompareDialog({ source, points, point, onClose }: CompareDialogProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.timeline;
  const at = Math.min(points.indexOf(point), points.length - 2);
  const [to, setTo] = useState(points[at]!.restorePoint);
  const [from, setFrom] = useState(points[at + 1]!.restorePoint);
  const labels = distinctTimes(
    points.map(({ madeAt }) => madeAt),
    formats.dateTime,
    formats.dateTimeSeconds,
  );
  const options = points.map(({ restorePoint: value }, index) => ({ value, label: labels[index]! }));
  const [earlier, later] = from < to ? [from, to] : [to, from];
  return (
    <ModalDialog title={words.compareTitle} onClose={onClose}>
      <div className="time-pair">
        <Select label={words.from} value={from} options={options} onChange={setFrom} />
        <Select label={words.to} value={to} options={options} onChange={setTo} />
      </div>
      {from === to ? (
        <p className="ui-soft">{words.sameTime}</p>
      ) : (
        <Compared key={`${earlier} ${later}`} source={source} from={earlier} to={later} />
      )}
      <div className="ui-actions">
        <Button onPress={onClose}>{strings.common.close}</Button>
      </div>
    </ModalDialog>
  );
}

interface ComparedProps {
  readonly source: Source;
  readonly from: string;
  readonly to: string;
}

function Compared({ source: { set, device, destination }, from, to }: ComparedProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.restore.timeline;
  const between = { set, device, from, to };
  const answer = useCall('history.changed-folder', { ...between, destination, folder: '', first: 0, count: PAGE });
  return (
    <Loaded resource={answer}>
      {({ entries, total, sums, isCut, destination: there }) =>
        total === 0 ? (
          <p className="ui-soft">{words.nothing}</p>
        ) : (
          <>
            <p role="status" data-live-announcer>
              {sumsText(sums, language)}
            </p>
            <ChangedTree compared={{ ...between, destination: there }} top={{ entries, total }} />
            {isCut && <p className="ui-hint">{language.strings.activity.changes.cut}</p>}
          </>
        )
      }
    </Loaded>
  );
}
