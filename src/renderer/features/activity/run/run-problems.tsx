import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { SearchField } from '../../../../ui/fields/search-field.tsx';
import { Segments } from '../../../../ui/choices/segments.tsx';
import { toast } from '../../../../ui/feedback/toast.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { PathText } from '../../../shared/path-text.tsx';
import { readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { filesOf, keyOf, problemText, problemsAsText } from './problem.ts';
import type { Problem } from './problem.ts';
import { VirtualList } from '../../../../ui/tables/virtual-list.tsx';

interface RunProblemsProps {
  readonly problems: readonly Problem[];
  /** Number of failures that the report does not list. */
  readonly unlisted: number;
}

type Shown = 'all' | Problem['kind'];

/** Pixels: one line for the path and two for the reason. */
const ROW = 76;
/** The list scrolls if it has more rows. */
const TALLEST = 6;
const BORDER = 1;

/** The files with problems, of which there may be thousands. */
export function RunProblems({ problems, unlisted }: RunProblemsProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.activity;
  const [shown, setShown] = useState<Shown>('all');
  const [search, setSearch] = useState('');
  const { run, failure } = useAction();
  const failed = filesOf(problems.filter(({ kind }) => kind === 'failed'));
  const warned = filesOf(problems.filter(({ kind }) => kind === 'warned'));
  const rows = useMemo(() => {
    const sought = search.trim().toLowerCase();
    return problems
      .map((problem) => ({ problem, ...problemText(problem, language) }))
      .filter(({ problem }) => shown === 'all' || problem.kind === shown)
      .filter(({ name, why }) => sought === '' || `${name}\n${why}`.toLowerCase().includes(sought));
  }, [problems, shown, search, language]);
  const files = filesOf(rows.map(({ problem }) => problem));
  const copy = (): void =>
    run(async () => {
      const text = problemsAsText(
        rows.map(({ problem }) => problem),
        language,
      );
      await call('shell.copy', { text });
      toast(words.copied);
    });
  return (
    <Panel
      title={words.problems}
      actions={
        <Button kind="quiet" onPress={copy}>
          <Icon name="copy" />
          {words.copy}
        </Button>
      }
    >
      <div className="act-filters">
        {problems.length > TALLEST && <SearchField label={words.problemsSearch} value={search} onChange={setSearch} />}
        {failed > 0 && warned > 0 && (
          <Segments
            label={words.problems}
            isLabelHidden
            value={shown}
            options={[
              { value: 'all', label: words.problemsAll },
              { value: 'failed', label: words.problemsFailed(language.formats.number(failed)) },
              { value: 'warned', label: words.problemsWarned(language.formats.number(warned)) },
            ]}
            onChange={setShown}
          />
        )}
      </div>
      <p className="ui-hint" role="status" data-live-announcer>
        {rows.length === problems.length
          ? words.files(files)
          : words.problemsShown(files, language.formats.number(filesOf(problems)))}
      </p>
      {rows.length === 0 ? <p className="ui-soft">{words.problemsNone}</p> : <ProblemRows rows={rows} />}
      {unlisted > 0 && <p className="ui-soft">{words.problemsMore(unlisted)}</p>}
      <FailureNotice failure={failure} />
    </Panel>
  );
}

interface Row {
  readonly problem: Problem;
  readonly name: string;
  readonly why: string;
}

function ProblemRows({ rows }: { readonly rows: readonly Row[] }): ReactElement {
  const words = useLanguage().strings.activity;
  return (
    <VirtualList
      // The panel around it has the other name, and two regions may not share one.
      label={words.files(filesOf(rows.map(({ problem }) => problem)))}
      items={rows}
      rowHeight={ROW}
      rowClassName="act-problem"
      style={{ height: Math.min(rows.length, TALLEST) * ROW + 2 * BORDER }}
      keyOf={({ problem }) => keyOf(problem)}
    >
      {({ problem, name, why }) => (
        <>
          <span className="act-mark" data-tone={problem.kind === 'failed' ? 'bad' : 'warning'}>
            <Icon name={problem.kind === 'failed' ? 'close' : 'attention'} />
          </span>
          <span className="act-row-text">
            <span className="ui-ellipsis" title={readablePath(name)}>
              <PathText path={name} />
            </span>
            <span className="act-problem-why ui-hint">
              <span className="ui-hidden">
                {problem.kind === 'failed' ? words.problemFailed : words.problemWarned}:{' '}
              </span>
              {why}
            </span>
          </span>
        </>
      )}
    </VirtualList>
  );
}
