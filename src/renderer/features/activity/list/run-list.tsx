import { useState } from 'react';
import type { ReactElement } from 'react';
import { GridList, GridListHeader, GridListItem, GridListSection } from 'react-aria-components';
import type { ListedRun } from '../../../../ipc/contract/activity.ts';
import { failureWords } from '../../../../strings/failure-sentence.ts';
import { shortPath } from '../../../../strings/short-path.ts';
import type { Language } from '../../../../strings/strings.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Empty } from '../../../../ui/feedback/empty.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Wait } from '../../../../ui/requests/wait.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useDestinationNames } from '../../../shared/use-destination-names.ts';
import { readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { RunFilters } from './run-filters.tsx';
import { OUTCOME_ICONS, OUTCOME_TONES, outcomeText, runTitle } from '../run-title.ts';
import { useRuns } from './use-runs.ts';
import type { RunFilter } from './use-runs.ts';
import './run-list.css';

/** The finished runs by day, newest first. */
export function RunList({ onOpen }: { readonly onOpen: (run: number) => void }): ReactElement {
  const [filter, setFilter] = useState<RunFilter>({});
  const { runs, hasMore, failure, isLoadingMore, more, reload } = useRuns(filter);
  const { strings } = useLanguage();
  const words = strings.activity;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <section className="ui-stack" aria-label={words.list}>
      {(isFiltered || runs === undefined || runs.length > 0) && <RunFilters filter={filter} onChange={setFilter} />}
      <FailureNotice failure={failure} onRetry={reload} />
      {runs === undefined ? (
        failure === undefined && <Wait label={strings.common.loading} />
      ) : runs.length === 0 ? (
        <Empty icon="audit" title={isFiltered ? words.noneOfFilter : words.none}>
          {isFiltered ? words.noneOfFilterHint : words.noneHint}
        </Empty>
      ) : (
        <>
          <Days runs={runs} onOpen={onOpen} />
          {hasMore && (
            <div>
              <Button isPending={isLoadingMore} onPress={more}>
                {words.older}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  );
}

interface DaysProps {
  readonly runs: readonly ListedRun[];
  readonly onOpen: (run: number) => void;
}

function Days({ runs, onOpen }: DaysProps): ReactElement {
  const language = useLanguage();
  const destinations = useDestinationNames();
  const needs = useAppState((state) => state.needs) ?? [];
  const isSuspicious = ({ id }: ListedRun): boolean =>
    needs.some((need) => need.kind === 'suspicious-run' && need.run === id);
  return (
    <GridList className="act-list" aria-label={language.strings.activity.list} onAction={(key) => onOpen(Number(key))}>
      {[...Map.groupBy(runs, ({ startedAt }) => language.formats.dayName(startedAt))].map(([day, ofDay]) => (
        <GridListSection key={day} id={day} className="ui-surface act-day">
          <GridListHeader className="ui-group-title act-day-name">{day}</GridListHeader>
          {ofDay.map((run) => (
            <Row
              key={run.id}
              run={run}
              destination={destinations.get(run.destination)}
              isSuspicious={isSuspicious(run)}
            />
          ))}
        </GridListSection>
      ))}
    </GridList>
  );
}

interface RowProps {
  readonly run: ListedRun;
  /** The name of the destination, if there are several. */
  readonly destination: string | undefined;
  /** It looked like ransomware, and nobody has said otherwise. */
  readonly isSuspicious: boolean;
}

function Row({ run, destination, isSuspicious }: RowProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const title = runTitle(run, strings);
  const outcome = isSuspicious ? strings.activity.suspicious : outcomeText(run, strings);
  const place = destination === undefined ? [] : [destination];
  return (
    <GridListItem
      id={run.id}
      className="act-row"
      textValue={formats.series([title, outcome, ...place, formats.clock(run.startedAt)])}
    >
      <span className="act-mark" data-tone={isSuspicious ? 'bad' : OUTCOME_TONES[run.outcome]}>
        <Icon name={isSuspicious ? 'attention' : OUTCOME_ICONS[run.outcome]} />
      </span>
      <span className="act-row-text">
        <span className="ui-ellipsis act-row-title">{title}</span>
        <span className="ui-ellipsis ui-hint">{[outcome, ...place, ...moreOf(run, language)].join(' · ')}</span>
      </span>
      <span className="ui-soft ui-number">{formats.clock(run.startedAt)}</span>
      <Icon name="right" />
    </GridListItem>
  );
}

function moreOf(run: ListedRun, language: Language): readonly string[] {
  const { strings, formats } = language;
  const words = strings.activity;
  const { restored } = run;
  if (run.failure && run.outcome === 'failed') return [failureWords(run.failure, language).what];
  return [
    ...(restored ? [words.restoredWhere(restored.to === null ? null : shortPath(readablePath(restored.to), 40))] : []),
    ...(run.warnings > 0 ? [words.warnings(run.warnings)] : []),
    (run.kind === 'mount' ? words.openFor : words.took)(formats.duration((run.endedAt - run.startedAt) / 1000)),
    ...(run.trigger === undefined ? [] : [words.triggers[run.trigger]]),
  ];
}
