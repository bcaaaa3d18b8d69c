import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import type { Place } from '../../../../model/destination.ts';
import { standingsOf } from '../../../../strings/destinations/standing.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import type { MenuChoice } from '../../../../ui/buttons/menu-choices.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { isHostKeyFailure } from '../../../shared/host-key-failure.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { useNow } from '../../../shared/use-now.ts';
import { CheckDialog } from '../../../shared/check-dialog.tsx';
import { RepairDialog } from '../../activity/check/repair-dialog.tsx';
import { openRun } from '../../../shared/opened-run.ts';
import { FormerDestinations } from '../../destination/former-destinations.tsx';
import { DestinationList } from '../../destination/list/destination-list.tsx';
import { Facts } from '../shared/facts.tsx';
import type { DestinationPartProps } from './destination-part-props.ts';
import { HostKeyDialog } from './host-key-dialog.tsx';
import { SignedOut } from './signed-out.tsx';

/** Several destinations of backups, and this computer's name there. */
export function DestinationsPart({ message, onView, onChange }: DestinationPartProps): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.settings;
  const now = useNow();
  const state = useAppState((whole) => whole);
  const { run, failure } = useAction();
  const [compared, setCompared] = useState<string>();
  const [asking, setAsking] = useState<{ readonly what: 'check' | 'repair'; readonly place: Place }>();
  const begun = (id: number): void => {
    openRun(id);
    onView('activity');
  };
  if (!state) return null;
  const { destinations, device, needs } = state;
  const [first] = destinations;
  const stopped = destinations.filter(isStoppedByHostKey);
  const signedOut = destinations.filter(({ id }) =>
    needs.some((need) => need.kind === 'signed-out' && need.destination?.id === id),
  );
  const isBusy = state.runs.length > 0;
  const choicesOf = ({ id, name, kind, location }: ConfiguredDestination): readonly MenuChoice[] => [
    ...(kind === 'folder'
      ? [
          {
            id: 'show',
            label: words.showFolder,
            icon: 'open' as const,
            onChoose: () => run(() => call('shell.show-path', { path: location })),
          },
        ]
      : []),
    ...(kind === 'sftp'
      ? [{ id: 'key', label: words.hostKey.open, icon: 'lock' as const, onChoose: () => setCompared(id) }]
      : []),
    // A service checks its store by itself.
    ...(kind === 'service'
      ? []
      : (['check', 'repair'] as const).map((what) => ({
          id: what,
          label: strings.destinations[what],
          icon: what === 'check' ? ('check' as const) : ('settings' as const),
          isDisabled: isBusy,
          onChoose: () => setAsking({ what, place: { id, name } }),
        }))),
  ];
  return (
    <div className="ui-stack">
      {signedOut.map((destination) => (
        <SignedOut key={destination.id} destination={destination} isOneOfSeveral />
      ))}
      {stopped.map(({ id, name }) => (
        <Notice key={id} tone="bad">
          <h2>{words.hostKey.changedTitle}</h2>
          <p>
            {name}: {words.hostKey.changedText}
          </p>
          <div>
            <Button kind="primary" onPress={() => setCompared(id)}>
              {words.hostKey.compare}
            </Button>
          </div>
        </Notice>
      ))}
      <Panel
        title={strings.destinations.title}
        actions={first && <Button onPress={() => onChange('add', first)}>{strings.destination.add.open}</Button>}
      >
        <p role="status" data-live-announcer className={message === undefined ? 'ui-hidden' : undefined}>
          {message}
        </p>
        <FailureNotice failure={failure} />
        <DestinationList standings={standingsOf(state, now)} choicesOf={choicesOf} onChange={onChange} />
        {device && <Facts facts={[[words.device, device.name]]} />}
      </Panel>
      <FormerDestinations
        key={destinations.map(({ id, location }) => `${id} ${location}`).join(' ')}
        current={destinations}
      />
      {asking?.what === 'check' && (
        <CheckDialog destination={asking.place} onStarted={begun} onClose={() => setAsking(undefined)} />
      )}
      {asking?.what === 'repair' && (
        <RepairDialog destination={asking.place} onStarted={begun} onClose={() => setAsking(undefined)} />
      )}
      {compared !== undefined && (
        <HostKeyDialog
          id={compared}
          onAccepted={() => {
            setCompared(undefined);
            const set = state.sets[0]?.name;
            // If the backup cannot start now, Home says so and has a button.
            if (set !== undefined) void call('runs.backup', { set, destination: compared }).catch(() => undefined);
          }}
          onClose={() => setCompared(undefined)}
        />
      )}
    </div>
  );
}

function isStoppedByHostKey({ sets }: ConfiguredDestination): boolean {
  return sets.some(({ failure }) => isHostKeyFailure(failure));
}
