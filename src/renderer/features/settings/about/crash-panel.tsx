import { useState } from 'react';
import type { ReactElement } from 'react';
import type { CrashReport } from '../../../../ipc/contract/crashes.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { toast } from '../../../../ui/feedback/toast.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { SavedFile } from '../shared/saved-file.tsx';

/** The crash reports of this computer, which a person may look at, save or delete. */
export function CrashPanel(): ReactElement {
  const words = useLanguage().strings.settings.crashes;
  const answer = useCall('crashes.list', {});
  return (
    <Panel title={words.title}>
      <p className="ui-soft settings-text">{words.text}</p>
      <Loaded resource={answer}>
        {({ reports }) =>
          reports.length === 0 ? (
            <p>{words.none}</p>
          ) : (
            <ul className="settings-crashes">
              {reports.map((report) => (
                <CrashLine key={report.id} report={report} onDeleted={answer.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

interface CrashLineProps {
  readonly report: CrashReport;
  readonly onDeleted: () => void;
}

function CrashLine({ report, onDeleted }: CrashLineProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.settings.crashes;
  const [isShown, setShown] = useState(false);
  const { isPending, failure, run } = useAction();
  const name = formats.series([words.part[report.part], formats.dateTime(report.at)]);
  const remove = async (): Promise<void> => {
    await call('crashes.delete', { id: report.id });
    toast(words.deleted);
    onDeleted();
  };
  return (
    <li>
      <div className="settings-crash">
        <span className="settings-crash-name">
          <span>{words.part[report.part]}</span>
          <span className="ui-soft ui-small">{formats.dateTime(report.at)}</span>
        </span>
        <span className="ui-row">
          <Button label={words.showOf(name)} onPress={() => setShown(true)}>
            {words.show}
          </Button>
          <Button kind="quiet" label={words.deleteOf(name)} isPending={isPending} onPress={() => run(remove)}>
            {words.delete}
          </Button>
        </span>
      </div>
      <FailureNotice failure={failure} />
      {isShown && <CrashDialog report={report} onClose={() => setShown(false)} />}
    </li>
  );
}

function CrashDialog({
  report,
  onClose,
}: {
  readonly report: CrashReport;
  readonly onClose: () => void;
}): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings.crashes;
  const [saved, setSaved] = useState<string>();
  const { isPending, failure, run } = useAction();
  const save = async (): Promise<void> => setSaved((await call('crashes.save', { id: report.id })).path);
  return (
    <ModalDialog title={words.shownTitle} onClose={onClose}>
      {/* It scrolls, also by keys. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="settings-text-box" tabIndex={0} role="region" aria-label={words.shownTitle}>
        {report.text}
      </pre>
      {saved !== undefined && <SavedFile said={words.saved} path={saved} />}
      <FailureNotice failure={failure} />
      <div className="ui-actions">
        <Button isPending={isPending} onPress={() => run(save)}>
          {words.save}
        </Button>
        <Button kind="primary" onPress={onClose}>
          {strings.common.close}
        </Button>
      </div>
    </ModalDialog>
  );
}
