import { useState } from 'react';
import type { ReactElement } from 'react';
import type { OutputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { Facts } from '../shared/facts.tsx';
import { AccountKeyPanel } from './account-key-panel.tsx';
import { LockPanel } from './lock-panel.tsx';
import { RevealPhrase } from './reveal-phrase.tsx';
import { SaveKit } from './save-kit.tsx';
import { SavedFile } from '../shared/saved-file.tsx';

type SecurityState = OutputOf<WindowMethods, 'security.state'>;

interface SecurityPartProps {
  readonly onPhrase: () => void;
}

/** The recovery phrase, the lock and the keys of this computer. */
export function SecurityPart({ onPhrase }: SecurityPartProps): ReactElement {
  const answer = useCall('security.state', {});
  return (
    <Loaded resource={answer}>
      {(security) => (
        <div className="ui-stack">
          <PhrasePanel state={security.phrase} onPhrase={onPhrase} />
          <AccountKeyPanel
            hasPassphrase={security.hasPassphrase === true}
            onPassphrase={answer.reload}
            onPhrase={onPhrase}
          />
          <LockPanel />
          <KeysPanel security={security} onMoved={answer.reload} />
        </div>
      )}
    </Loaded>
  );
}

interface PhrasePanelProps extends SecurityPartProps {
  readonly state: SecurityState['phrase'];
}

function PhrasePanel({ state, onPhrase }: PhrasePanelProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const [isRevealing, setRevealing] = useState(false);
  const [kit, setKit] = useState<string>();
  return (
    <Panel title={words.phrase}>
      <p className="ui-soft settings-text">{words.phraseText}</p>
      {state === 'confirmed' && <p>{words.phraseConfirmed}</p>}
      {state === 'unconfirmed' && (
        <Notice tone="warning">
          <h3>{words.phraseUnconfirmed}</h3>
          <p>{words.phraseUnconfirmedText}</p>
          <div>
            <Button kind="primary" onPress={onPhrase}>
              {words.confirmPhrase}
            </Button>
          </div>
        </Notice>
      )}
      <div className="ui-row">
        <Button onPress={() => setRevealing(true)}>{words.showPhrase}</Button>
        <SaveKit isPhraseConfirmed={state !== 'unconfirmed'} onSaved={setKit} />
      </div>
      {kit !== undefined && <SavedFile said={words.kitSaved} path={kit} hint={words.kitHint} />}
      {isRevealing && <RevealPhrase onClose={() => setRevealing(false)} />}
    </Panel>
  );
}

interface KeysPanelProps {
  readonly security: SecurityState;
  readonly onMoved: () => void;
}

function KeysPanel({ security: { protection, location, isKeychainAvailable }, onMoved }: KeysPanelProps): ReactElement {
  const words = useLanguage().strings.settings;
  const [isAsking, setAsking] = useState(false);
  const [isMoved, setMoved] = useState(false);
  const { isPending, failure, run } = useAction();
  const move = async (to: 'file' | 'keychain'): Promise<void> => {
    await call('security.move-keys', { to });
    setAsking(false);
    setMoved(true);
    onMoved();
  };
  return (
    <Panel title={words.keys}>
      <p>{words.keysIn[protection]}</p>
      {protection === 'file' && <Facts facts={[[words.keysLocation, location]]} />}
      {protection === 'file' && !isKeychainAvailable && <p className="ui-soft">{words.keychainMissing}</p>}
      <div className="ui-row">
        {protection === 'file' && isKeychainAvailable && (
          <Button isPending={isPending} onPress={() => run(() => move('keychain'))}>
            {words.moveToKeychain}
          </Button>
        )}
        {protection === 'keychain' && (
          <Button kind="quiet" onPress={() => setAsking(true)}>
            {words.moveToFile}
          </Button>
        )}
        <span className="ui-soft" role="status" data-live-announcer>
          {isMoved && words.moved}
        </span>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={words.moveToFileTitle}
          confirm={words.moveDo}
          work={() => move('file')}
          onClose={() => setAsking(false)}
        >
          <p>{words.moveToFileText}</p>
        </ConfirmDialog>
      ) : (
        <FailureNotice failure={failure} />
      )}
    </Panel>
  );
}
