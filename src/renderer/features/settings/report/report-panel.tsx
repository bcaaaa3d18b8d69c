import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ReportSettings, ReportState } from '../../../../ipc/contract/report.ts';
import { failureSentence } from '../../../../strings/failure-sentence.ts';
import { momentWords } from '../../../../strings/time-formats.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { toast } from '../../../../ui/feedback/toast.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { useNow } from '../../../shared/use-now.ts';
import { ReportDialog } from './report-dialog.tsx';
import { ReportPreview } from './report-preview.tsx';
import { weekdayName } from './weekday-name.ts';

type OpenDialog = 'set-up' | 'preview' | 'remove';

/** The weekly report by e-mail. */
export function ReportPanel(): ReactElement {
  const words = useLanguage().strings.report.panel;
  const stored = useCall('report.get', {});
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = (): void => setDialog(undefined);
  const changed = (): void => {
    close();
    stored.reload();
  };
  return (
    <Panel title={words.title}>
      <p className="ui-soft settings-text">{words.lead}</p>
      <Loaded resource={stored}>
        {(report) => (
          <>
            {report.settings && <SetUpReport report={report} settings={report.settings} onChanged={changed} />}
            <ReportButtons settings={report.settings} onOpen={setDialog} />
            {dialog === 'set-up' && <ReportDialog stored={report} onSaved={changed} onClose={close} />}
          </>
        )}
      </Loaded>
      {dialog === 'preview' && <ReportPreview onClose={close} />}
      {dialog === 'remove' && (
        <ConfirmDialog
          title={words.removeTitle}
          confirm={words.removeAction}
          work={() => call('report.remove', {}).then(changed)}
          onClose={close}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

interface SetUpReportProps {
  readonly report: ReportState;
  readonly settings: ReportSettings;
  readonly onChanged: () => void;
}

function SetUpReport({ report, settings, onChanged }: SetUpReportProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.report.panel;
  const switching = useAction();
  const { formats } = language;
  const now = useNow();
  const { weekday, minute, isOn } = settings;
  const to = formats.list(settings.to);
  const { sentAt, failed, nextAt } = report;
  const time = formats.clock(new Date(2000, 0, 1, 0, minute).getTime());
  return (
    <>
      <Switch
        label={words.send}
        hint={words.when(weekdayName(weekday, language), time, to)}
        isSelected={isOn}
        onChange={(isWanted) =>
          switching.run(() => call('report.save', { settings: { ...settings, isOn: isWanted } }).then(onChanged))
        }
      />
      <FailureNotice failure={switching.failure} />
      {failed && isOn ? (
        <Notice tone="warning">
          <p>{words.failed(formats.ago(failed.at, now))}</p>
          <p>{failureSentence(failed.failure, language)}</p>
        </Notice>
      ) : (
        <p className="ui-hint">
          {[
            ...(sentAt === undefined ? [] : [words.sent(formats.ago(sentAt, now))]),
            ...(nextAt === undefined ? [] : [words.next(momentWords(nextAt, now, formats))]),
            words.running,
          ].join(' ')}
        </p>
      )}
    </>
  );
}

interface ReportButtonsProps {
  readonly settings: ReportSettings | undefined;
  readonly onOpen: (dialog: OpenDialog) => void;
}

function ReportButtons({ settings, onOpen }: ReportButtonsProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.report.panel;
  const testing = useAction();
  const test = async (to: readonly string[]): Promise<void> => {
    await call('report.send-test', {});
    toast(words.tested(formats.list(to)));
  };
  return (
    <>
      <FailureNotice failure={testing.failure} />
      <div className="ui-row">
        <Button onPress={() => onOpen('set-up')}>{settings ? words.change : words.setUp}</Button>
        <Button onPress={() => onOpen('preview')}>{words.preview}</Button>
        {settings && (
          <>
            <Button isPending={testing.isPending} onPress={() => testing.run(() => test(settings.to))}>
              {words.test}
            </Button>
            <Button onPress={() => onOpen('remove')}>{words.remove}</Button>
          </>
        )}
      </div>
    </>
  );
}
