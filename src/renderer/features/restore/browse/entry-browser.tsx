import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';
import type { RestorePoint } from '../../../../ipc/contract/restore.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { EntryRows } from './entry-rows.tsx';
import { FolderPath } from './folder-path.tsx';
import { Listing } from './listing.ts';
import { RestoreDialog } from '../dialog/restore-dialog.tsx';
import { chooseNothing, leaveMissingFolder, setAsking, useRestore } from '../store/restore-store.ts';
import type { Source } from '../store/restore-store.ts';
import { countOf } from '../store/selection.ts';
import { useChosenEntries } from '../store/use-chosen-entries.ts';
import type { ChosenHere } from '../store/use-chosen-entries.ts';
import { useObservable } from '../../../shared/observable.ts';
import './entry-browser.css';

interface EntryBrowserProps {
  readonly source: Source;
  readonly point: RestorePoint;
}

/** The folders and files of a restore point, to select from. */
export function EntryBrowser({ source, point }: EntryBrowserProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore;
  const steps = useRestore((held) => held.steps);
  const gone = useRestore((held) => held.gone);
  const asking = useRestore((held) => held.asking);
  const { path } = steps.at(-1)!;
  const { set, device, destination } = source;
  const { restorePoint } = point;
  const listing = useMemo(
    () => new Listing({ set, restorePoint, path, device, destination }),
    [set, device, destination, restorePoint, path],
  );
  useEffect(() => {
    listing.start();
    return () => listing.close();
  }, [listing]);
  useObservable(listing);
  const { kind, total, failure } = listing.view;
  const isMissing = failure?.code === 'path_not_found' && steps.length > 1;
  useEffect(() => {
    if (isMissing) leaveMissingFolder();
  }, [isMissing]);
  const chosen = useChosenEntries(source, restorePoint);
  return (
    <>
      <div className="restore-where">
        <FolderPath steps={steps} />
        <span className="ui-soft ui-small ui-number restore-count" role="status">
          {kind === 'reading' && words.browser.reading(words.browser.entries(total))}
          {kind === 'complete' && words.browser.entries(total)}
        </span>
      </div>
      {gone && (
        <Notice tone="plain">
          <p>{words.browser.gone(gone.name)}</p>
        </Notice>
      )}
      {kind === 'failed' && !isMissing ? (
        <FailureNotice failure={failure} onRetry={() => listing.start()} />
      ) : kind === 'complete' && total === 0 ? (
        <p className="ui-rows restore-rows restore-empty ui-soft">{words.browser.empty}</p>
      ) : (
        <EntryRows
          key={`${restorePoint} ${path}`}
          listing={listing}
          restorePoint={restorePoint}
          depth={steps.length - 1}
        />
      )}
      <ChosenBar {...chosen} />
      {asking && (
        <RestoreDialog
          source={source}
          point={point}
          when={formats.when(restorePoint)}
          chosen={chosen}
          asking={asking}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}

function ChosenBar({ selection, missing, isLookingUp, isEverything }: ChosenHere): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.chosen;
  const { folders, files, leftOut, bytes } = countOf(selection);
  const isNothing = !isEverything && folders + files === 0;
  const what = words.some(folders, files);
  return (
    <footer className="ui-between restore-chosen">
      <div role="status" className={isEverything ? 'ui-soft' : undefined}>
        {isEverything && <p>{words.none}</p>}
        {!isEverything && isLookingUp && <p className="ui-soft">{words.lookingUp}</p>}
        {!isEverything && !isLookingUp && !isNothing && (
          <p>
            {bytes === undefined ? words.sentence(what) : words.sized(what, formats.bytes(bytes))}
            {leftOut > 0 && <span className="ui-soft"> {words.leftOut(leftOut)}</span>}
          </p>
        )}
        {!isLookingUp && missing > 0 && (
          <p className="ui-hint">{isNothing ? words.noneThere : words.missing(missing)}</p>
        )}
      </div>
      <div className="ui-row">
        {!isEverything && (
          <Button kind="quiet" onPress={chooseNothing}>
            {words.clear}
          </Button>
        )}
        <Button
          kind={isEverything ? 'plain' : 'primary'}
          isDisabled={isNothing || isLookingUp}
          onPress={() => setAsking({})}
        >
          {isEverything ? words.restoreAll : words.restore}
        </Button>
      </div>
    </footer>
  );
}
