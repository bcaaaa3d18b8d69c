import { nameOf, parentOf } from '../../../../model/entry-path.ts';
import { useCallback, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { HistoryMatch, HistoryVersion } from '../../../../ipc/contract/restore/history.ts';
import type { FoundMatch } from './find-matches.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Empty } from '../../../../ui/feedback/empty.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useResource } from '../../../../ui/requests/use-resource.ts';
import { PathText } from '../../../shared/path-text.tsx';
import { isolatedName, readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { askFor, lookAt, useRestore } from '../store/restore-store.ts';
import { FindFilterRow } from './find-filter-row.tsx';
import { findMatches, MOST_MATCHES } from './find-matches.ts';
import './found-files.css';

/** Milliseconds without another letter after which a search begins. */
const TYPING = 150;
/** Milliseconds between two searches while restore points are still being read. */
const FILLING = 2_000;

interface FoundFilesProps {
  readonly text: string;
  /** Called before a file is looked at or restored, which the Restore view shows. */
  readonly onOpen?: () => void;
}

/** Files and folders of all backups whose name has the text, each with its versions. */
export function FoundFiles({ text, onOpen }: FoundFilesProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.find;
  const filters = useRestore((held) => held.filters);
  const typed = useSettled(text.trim());
  const found = useResource(useCallback(() => findMatches(typed, filters, Date.now()), [typed, filters]));
  const { reload } = found;
  const isFilling =
    found.kind === 'ready' &&
    (!found.value.completeness.isListed || found.value.completeness.known < found.value.completeness.total);
  useEffect(() => {
    if (!isFilling) return undefined;
    const timer = setInterval(reload, FILLING);
    return () => clearInterval(timer);
  }, [isFilling, reload]);
  return (
    <>
      <FindFilterRow filters={filters} />
      <Loaded resource={found}>
        {({ matches, hasMore, completeness: { known, total } }) => (
          <>
            <p className="ui-soft ui-small" role="status" data-live-announcer>
              {words.found(matches.length)}
              {hasMore && ` · ${words.more(MOST_MATCHES)}`}
              {known < total && ` · ${words.filling(known, total)}`}
            </p>
            {matches.length === 0 ? (
              <Empty icon="search" title={words.nothing(typed)}>
                {words.nothingHint}
              </Empty>
            ) : (
              <ul className="ui-rows found-rows" aria-label={words.label}>
                {matches.map((match) => (
                  <FoundFile
                    key={JSON.stringify([match.set, match.device, match.path])}
                    match={match}
                    onOpen={onOpen}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

interface FoundFileProps {
  readonly match: FoundMatch;
  readonly onOpen: (() => void) | undefined;
}

function FoundFile({ match, onOpen }: FoundFileProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.find;
  const { path, set, versions, isDeleted, isHere } = match;
  const newest = versions.at(-1);
  const { name, folder } = partsOf(path);
  const open = (act: () => void): void => {
    onOpen?.();
    act();
  };
  return (
    <li className="found-file">
      <Icon name={newest?.kind === 'directory' ? 'folder' : 'file'} />
      <div className="found-text">
        <p className="ui-ellipsis found-name" dir="auto" title={readablePath(name)}>
          <PathText path={name} />
        </p>
        <p className="ui-hint found-place" title={readablePath(path)}>
          <span className="ui-ellipsis found-folder">
            <bdi dir="ltr">{readablePath(folder)}</bdi>
          </span>
          <span className="ui-ellipsis found-set">
            · <bdi>{set}</bdi>
          </span>
        </p>
        {newest && !isHere && (
          <p className="found-deleted ui-small">
            {isDeleted ? words.deleted(formats.when(newest.madeTo)) : words.notHere(formats.when(newest.madeTo))}
          </p>
        )}
      </div>
      {newest && newest.kind !== 'directory' && (
        <p className="found-facts ui-soft ui-small ui-number">
          {formats.bytes(newest.size)}
          <br />
          {formats.dateTime(newest.modified)}
        </p>
      )}
      {newest && (
        <div className="ui-row found-actions">
          {newest.kind === 'file' && (
            <Button
              label={words.lookAt(isolatedName(name), versions.length)}
              onPress={() => open(() => look(match, newest))}
            >
              {versions.length > 1 ? words.versions(versions.length) : words.look}
            </Button>
          )}
          <RestoreButton match={match} version={newest} onOpen={onOpen} />
        </div>
      )}
    </li>
  );
}

function look({ set, device, path }: HistoryMatch, { to, madeTo, size, modified }: HistoryVersion): void {
  const entry = { size, modified };
  lookAt({ source: { set, device }, path, restorePoint: to, madeAt: madeTo, entry, mode: 'content' });
}

interface RestoreButtonProps {
  readonly match: HistoryMatch;
  readonly version: HistoryVersion;
  readonly onOpen: (() => void) | undefined;
}

function RestoreButton({ match, version, onOpen }: RestoreButtonProps): ReactElement {
  const { strings, formats } = useLanguage();
  const { path, set, device } = match;
  const label = strings.restore.find.restoreVersion(
    isolatedName(partsOf(path).name),
    formats.dateTime(version.modified),
  );
  return (
    <Button
      label={label}
      onPress={() => {
        onOpen?.();
        askFor({ set, device, restorePoint: version.to, path });
      }}
    >
      {strings.restore.chosen.restore}
    </Button>
  );
}

/** The name of an entry, and the path of its folder. */
function partsOf(path: string): { readonly name: string; readonly folder: string } {
  return { name: nameOf(path), folder: parentOf(path) || '/' };
}

/** Returns the value once it has stayed the same for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
