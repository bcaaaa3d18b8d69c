import { memo } from 'react';
import type { ReactElement } from 'react';
import type { AppState } from '../../../ipc/state.ts';
import { shortPath } from '../../../strings/short-path.ts';
import { Panel } from '../../../ui/layout/panel.tsx';
import { useLanguage } from '../../shared/use-language.ts';

const LOCATION_LENGTH = 44;

type StoragePanelProps = Pick<AppState, 'storage' | 'destination'>;

/** Protected data, used space and free space. */
export const StoragePanel = memo(function StoragePanel({ storage, destination }: StoragePanelProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.home.storage;
  return (
    <Panel title={words.title}>
      <dl className="home-storage">
        <Amount name={words.protected} bytes={storage.protectedBytes} />
        <Amount name={words.stored} bytes={storage.storedBytes} />
        <Amount name={words.saved} bytes={storage.savedBytes} hint={words.savedHint} />
        <Amount name={words.saved} bytes={storage.compressedBytes} hint={words.compressedHint} />
        <Amount name={words.free} bytes={destination?.freeBytes} />
      </dl>
      {destination && (
        <p className="ui-small ui-soft">
          {words.at} <code title={destination.location}>{shortPath(destination.location, LOCATION_LENGTH)}</code>
        </p>
      )}
    </Panel>
  );
});

interface AmountProps {
  readonly name: string;
  readonly bytes: number | undefined;
  readonly hint?: string;
}

/** Empty if the figure is unknown. */
function Amount({ name, bytes, hint }: AmountProps): ReactElement | null {
  const { formats } = useLanguage();
  if (bytes === undefined) return null;
  return (
    <div>
      <dt className="ui-soft ui-small">{name}</dt>
      <dd>{formats.bytes(bytes)}</dd>
      {hint !== undefined && <dd className="home-storage-hint">{hint}</dd>}
    </div>
  );
}
