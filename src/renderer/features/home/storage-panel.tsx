import type { ReactElement } from 'react';
import type { AppState } from '../../../ipc/state.ts';
import { shortPath } from '../../../strings/short-path.ts';
import { Panel } from '../../ui/panel.tsx';
import { useLanguage } from '../../use-language.ts';

const PLACE_LENGTH = 44;

/** What is protected, what that takes, and what is left. */
export function StoragePanel({ state }: { readonly state: AppState }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.home.storage;
  const { storage, destination } = state;
  const written = (bytes: number | undefined): string => (bytes === undefined ? words.unknown : formats.bytes(bytes));
  return (
    <Panel title={words.title}>
      <dl className="home-storage">
        <div>
          <dt className="ui-soft ui-small">{words.protected}</dt>
          <dd>{written(storage.protectedBytes)}</dd>
        </div>
        <div>
          <dt className="ui-soft ui-small">{words.stored}</dt>
          <dd>{written(storage.storedBytes)}</dd>
        </div>
        <div>
          <dt className="ui-soft ui-small">{words.saved}</dt>
          <dd>{written(storage.savedBytes)}</dd>
          {storage.savedBytes !== undefined && <dd className="home-storage-hint">{words.savedHint}</dd>}
        </div>
        <div>
          <dt className="ui-soft ui-small">{words.free}</dt>
          <dd>{written(destination?.freeBytes)}</dd>
        </div>
      </dl>
      {destination && (
        <p className="ui-small ui-soft">
          {words.at} <code title={destination.place}>{shortPath(destination.place, PLACE_LENGTH)}</code>
        </p>
      )}
    </Panel>
  );
}
