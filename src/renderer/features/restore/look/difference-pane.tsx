import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Empty } from '../../../../ui/feedback/empty.tsx';
import { Wait } from '../../../../ui/requests/wait.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { PreviewPane } from './preview-pane.tsx';
import { TextView } from './text-view.tsx';
import { differenceOf, linesIn } from './text-rows.ts';
import type { PreviewResource } from './use-preview.ts';

interface DifferencePaneProps {
  /** Of the file. */
  readonly name: string;
  readonly before: PreviewResource;
  readonly after: PreviewResource;
  /** Both have the same bytes. */
  readonly isSame: boolean;
}

/** What differs between two versions: the lines of texts; everything else side by side. */
export function DifferencePane({ name, before, after, isSame }: DifferencePaneProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.look;
  if (isSame) return <Empty icon="check" title={words.same} />;
  if (before.kind === 'waiting' || after.kind === 'waiting') return <Wait label={strings.common.loading} />;
  const areTexts =
    before.kind === 'ready' && after.kind === 'ready' && before.value.kind === 'text' && after.value.kind === 'text';
  if (areTexts && before.value.text === after.value.text && before.value.isWhole) {
    return <Empty icon="check" title={words.same} />;
  }
  if (areTexts) return <Difference name={name} before={before.value.text} after={after.value.text} />;
  return (
    <div className="look-both">
      <PreviewPane name={name} preview={before} />
      <PreviewPane name={name} preview={after} />
    </div>
  );
}

interface DifferenceProps {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

function Difference({ name, before, after }: DifferenceProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.look;
  const rows = useMemo(() => differenceOf(before, after), [before, after]);
  if (!rows) return <Empty icon="file" title={words.tooDifferent} />;
  return (
    <div className="look-pane">
      <p className="ui-small" role="status" data-live-announcer>
        {words.counts(linesIn(rows, 'added'), linesIn(rows, 'removed'))}
      </p>
      <TextView label={words.differences(name)} rows={rows} />
    </div>
  );
}
