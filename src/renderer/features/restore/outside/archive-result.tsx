import type { ReactElement } from 'react';
import type { RunReport } from '../../../../ipc/contract/restore/restore.ts';
import type { Outcome } from '../../../../model/run.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { Failures } from '../failures.tsx';
import { setStarted } from '../store/restore-store.ts';

interface ArchiveResultProps {
  readonly outcome: Outcome;
  readonly report: RunReport | undefined;
}

/** What is in an archive, and what is not. */
export function ArchiveResult({ outcome, report }: ArchiveResultProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.archive;
  const { run, failure } = useAction();
  const { file, files = 0, bytes = 0, failuresTotal = 0, failures = [] } = report ?? {};
  const isThere = outcome === 'succeeded' || outcome === 'warnings';
  const title = !isThere ? words.none : failuresTotal > 0 ? words.partly : words.saved;
  return (
    <Panel title={title}>
      {isThere && file !== undefined && (
        <Notice tone={failuresTotal > 0 ? 'warning' : 'good'}>
          <p>{words.done(strings.restore.files(files), formats.bytes(bytes), file)}</p>
          {failuresTotal > 0 && <p>{words.damaged}</p>}
        </Notice>
      )}
      {outcome !== 'cancelled' && <FailureNotice failure={report?.failure} />}
      {failuresTotal > 0 && <Failures failures={failures} total={report?.filesFailed ?? failuresTotal} />}
      <FailureNotice failure={failure} />
      <div className="ui-actions">
        {isThere && file !== undefined && (
          <Button onPress={() => run(() => call('shell.show-path', { path: file }))}>
            {strings.restore.result.show}
          </Button>
        )}
        <Button kind="primary" onPress={() => setStarted(undefined)}>
          {strings.restore.result.finish}
        </Button>
      </div>
    </Panel>
  );
}
