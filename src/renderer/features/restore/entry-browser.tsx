import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import type { RestorePoint } from '../../../ipc/restore.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useLanguage } from '../../use-language.ts';
import { EntryRows } from './entry-rows.tsx';
import { FolderPath } from './folder-path.tsx';
import { Listing } from './listing.ts';
import { RestoreDialog } from './restore-dialog.tsx';
import { climbTo, setSelection, useRestore } from './restore-store.ts';
import type { Source } from './restore-store.ts';
import { countOf } from './selection.ts';

interface EntryBrowserProps {
  readonly source: Source;
  readonly point: RestorePoint;
}

/** The folders and files of a restore point, and what is chosen of them. */
export function EntryBrowser({ source, point }: EntryBrowserProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore;
  const steps = useRestore((held) => held.steps);
  const { path } = steps.at(-1)!;
  const [round, setRound] = useState(0);
  const [isAsking, setAsking] = useState(false);
  const { set, device } = source;
  const { restorePoint } = point;
  const listing = useMemo(
    () => new Listing({ set, restorePoint, path, ...(device === undefined ? {} : { device }) }, round),
    [set, device, restorePoint, path, round],
  );
  useEffect(() => {
    listing.start();
    return () => listing.close();
  }, [listing]);
  useSyncExternalStore(listing.subscribe, listing.version);
  const { kind, total, failure } = listing.view;
  return (
    <>
      <div className="restore-where">
        <FolderPath steps={steps} />
        <span className="ui-soft ui-small ui-number restore-count" role="status">
          {kind === 'reading' && words.browser.reading(words.browser.entries(total))}
          {kind === 'complete' && words.browser.entries(total)}
        </span>
      </div>
      {kind === 'failed' && failure?.code === 'path_not_found' ? (
        <Notice tone="warning">
          <p>{words.browser.missing}</p>
          <div>
            <Button onPress={() => climbTo(0)}>{words.browser.toTop}</Button>
          </div>
        </Notice>
      ) : kind === 'failed' ? (
        <FailureNotice failure={failure} onRetry={() => setRound(round + 1)} />
      ) : kind === 'complete' && total === 0 ? (
        <p className="restore-rows restore-empty ui-soft">{words.browser.empty}</p>
      ) : (
        <EntryRows key={`${restorePoint} ${path} ${round}`} listing={listing} depth={steps.length - 1} />
      )}
      <ChosenBar onRestore={() => setAsking(true)} />
      {isAsking && (
        <RestoreDialog
          source={source}
          point={point}
          when={formats.when(restorePoint)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function ChosenBar({ onRestore }: { readonly onRestore: () => void }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.chosen;
  const selection = useRestore((held) => held.selection);
  const { folders, files, bytes } = countOf(selection);
  const what = words.some(folders, files);
  const isEmpty = selection.size === 0;
  return (
    <footer className="restore-chosen">
      <p role="status" className={isEmpty ? 'ui-soft' : undefined}>
        {isEmpty && words.none}
        {!isEmpty && (folders === 0 ? words.sized(what, formats.bytes(bytes)) : words.sentence(what))}
      </p>
      <div className="ui-row">
        {!isEmpty && (
          <Button kind="quiet" onPress={() => setSelection(() => new Map())}>
            {words.clear}
          </Button>
        )}
        <Button kind={isEmpty ? 'plain' : 'primary'} onPress={onRestore}>
          {isEmpty ? words.restoreAll : words.restore}
        </Button>
      </div>
    </footer>
  );
}
