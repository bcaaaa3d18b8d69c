import type { ReactElement } from 'react';
import type { RestoreFailure } from '../../../ipc/contract/restore/restore.ts';
import { reasonSentence } from '../../../strings/failure-sentence.ts';
import { Icon } from '../../../ui/icon.tsx';
import { VirtualList } from '../../../ui/tables/virtual-list.tsx';
import { PathText } from '../../shared/path-text.tsx';
import { readablePath } from '../../shared/readable-path.ts';
import { useLanguage } from '../../shared/use-language.ts';
import './dialog/restore-dialog.css';

/** Pixels. */
const FAILURE_ROW = 56;

interface FailuresProps {
  readonly failures: readonly RestoreFailure[];
  readonly total: number;
}

/** The failed files, of which there may be thousands. */
export function Failures({ failures, total }: FailuresProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.restore.result;
  return (
    <section className="ui-stack-tight">
      <h3>{words.failures(total)}</h3>
      <p className="ui-soft">
        {words.failuresHint} {total > failures.length && words.listed(language.formats.number(failures.length))}
      </p>
      <VirtualList
        label={words.failures(total)}
        items={failures}
        rowHeight={FAILURE_ROW}
        className="restore-failures"
        rowClassName="restore-failure"
        keyOf={(_, index) => index}
      >
        {({ path, reason, detail }) => (
          <>
            <Icon name="warning" />
            <span className="restore-failure-text">
              <span className="ui-ellipsis restore-name" dir="auto" title={readablePath(path)}>
                <PathText path={path} />
              </span>
              <span className="ui-hint ui-ellipsis restore-name" title={detail}>
                {reasonSentence(reason, language, detail)}
              </span>
            </span>
          </>
        )}
      </VirtualList>
    </section>
  );
}
