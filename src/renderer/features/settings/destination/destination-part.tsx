import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import type { Need } from '../../../../model/need.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { stoppedByHostKey } from '../../../shared/host-key-failure.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { FormerDestinations } from '../../destination/former-destinations.tsx';
import { Facts } from '../shared/facts.tsx';
import { failureSentence } from '../../../../strings/failure-sentence.ts';
import { needSentence } from '../../../../strings/state-sentence.ts';
import { CheckPart } from './check-part.tsx';
import { HostKeyDialog } from './host-key-dialog.tsx';
import type { DestinationPartProps } from './destination-part-props.ts';
import { SignedOut } from './signed-out.tsx';

/** The destination of backups, and this computer's name there. */
export function DestinationPart({ message, onView, onChange }: DestinationPartProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.settings;
  const destination = useAppState((state) => state.destinations[0]);
  const device = useAppState((state) => state.device);
  const isSignedOut = useAppState((state) => state.needs.some(({ kind }) => kind === 'signed-out'));
  const { run, failure } = useAction();
  const [isComparing, setComparing] = useState(false);
  const stopped = useAppState(({ sets }) => stoppedByHostKey(sets)?.name);
  const missing = useAppState(({ needs, destinations: [only] }) =>
    isBack(only) ? undefined : needs.find(isOfMissing),
  );
  if (!destination) return <p className="ui-soft">{words.notSetUp}</p>;
  const { kind, location, freeBytes, parity } = destination;
  return (
    <div className="ui-stack">
      {isSignedOut === true && <SignedOut destination={destination} isOneOfSeveral={false} />}
      {stopped !== undefined && (
        <Notice tone="bad">
          <h2>{words.hostKey.changedTitle}</h2>
          <p>{words.hostKey.changedText}</p>
          <div>
            <Button kind="primary" onPress={() => setComparing(true)}>
              {words.hostKey.compare}
            </Button>
          </div>
        </Notice>
      )}
      {missing && (
        <Notice tone="warning">
          <p>
            {missing.kind === 'failed' ? failureSentence(missing.failure, language) : needSentence(missing, strings)}
          </p>
        </Notice>
      )}
      <Panel
        title={words.destination}
        actions={
          <>
            {kind === 'folder' && (
              <Button kind="quiet" onPress={() => run(() => call('shell.show-path', { path: location }))}>
                {words.showFolder}
              </Button>
            )}
            {kind === 'sftp' && stopped === undefined && (
              <Button kind="quiet" onPress={() => setComparing(true)}>
                {words.hostKey.open}
              </Button>
            )}
          </>
        }
      >
        <Facts
          facts={[
            [words.kinds[kind], location, 'path'],
            ...(freeBytes === undefined ? [] : [['', words.free(formats.bytes(freeBytes))] as const]),
            ...(parity === undefined ? [] : [[words.parity, words.parityShare(parity)] as const]),
            ...(device === undefined ? [] : [[words.device, device.name] as const]),
          ]}
        />
        <FailureNotice failure={failure} />
      </Panel>
      {kind !== 'service' && <CheckPart onView={onView} />}
      <Panel title={strings.destination.title}>
        {(['add', 'move', 'begin'] as const).map((one) => (
          <div key={one} className="ui-stack-tight settings-way">
            <p className="ui-soft settings-text">{strings.destination[one].hint}</p>
            <div>
              <Button onPress={() => onChange(one, destination)}>{strings.destination[one].open}</Button>
            </div>
          </div>
        ))}
        <p role="status" data-live-announcer className={message === undefined ? 'ui-hidden' : undefined}>
          {message}
        </p>
      </Panel>
      <FormerDestinations key={location} current={[destination]} />
      {isComparing && (
        <HostKeyDialog
          id={destination.id}
          onAccepted={() => {
            setComparing(false);
            // If the backup cannot start now, Home says so and has a button.
            if (stopped !== undefined) void call('runs.backup', { set: stopped }).catch(() => undefined);
          }}
          onClose={() => setComparing(false)}
        />
      )}
    </div>
  );
}

/** Returns whether a folder is there, whatever the last run met. The presence of other destinations is only known by a run. */
function isBack(destination: ConfiguredDestination | undefined): boolean {
  return destination?.kind === 'folder' && destination.isAtHand;
}

type MissingNeed = Extract<Need, { kind: 'failed' | 'destination-missing' }>;

/** Tests whether the destination was not there. */
function isOfMissing(need: Need): need is MissingNeed {
  return need.kind === 'destination-missing' || (need.kind === 'failed' && need.failure.code === 'destination_missing');
}
